"""Files in remote stores (http, https, s3): read by ranges, with patience, and without showing anybody's keys."""

"""Personal data: which kinds there are (`kinds`), where an item stands (a finder per family), what replaces it.

In recipes `pii.mask`; for texts outside a page `mask_text`.
"""

from curation.rewrite.pii.addresses import IPV4, IPV6
from curation.rewrite.pii.credentials import CREDENTIAL
from curation.rewrite.pii.emails import EMAIL
from curation.rewrite.pii.kinds import ALL_KINDS, KINDS, Kind
from curation.rewrite.pii.masking import mask, mask_page_text, mask_text
from curation.rewrite.pii.payments import CARD, IBAN
from curation.rewrite.pii.phones import PHONE
from curation.rewrite.pii.regions import regions_of
from curation.rewrite.pii.ssn import SSN

__all__ = [
    "ALL_KINDS", "CARD", "CREDENTIAL", "EMAIL", "IBAN", "IPV4", "IPV6", "KINDS", "PHONE", "SSN",
    "Kind", "mask", "mask_page_text", "mask_text", "regions_of",
]  # fmt: skip

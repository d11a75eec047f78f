"""Planning a training run from its data: steps, compute, time, memory, checkpoints. Arithmetic only."""

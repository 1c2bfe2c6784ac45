"""Training: settings, the trainer, sense discovery, checkpoints, progress."""

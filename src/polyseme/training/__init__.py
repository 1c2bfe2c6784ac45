"""From an encoded corpus to a model: settings, the trainer, checkpoints, progress."""

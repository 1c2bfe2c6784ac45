"""File and thread plumbing shared by all layers: atomic writes, memory maps, safetensors, an ordered thread pool."""

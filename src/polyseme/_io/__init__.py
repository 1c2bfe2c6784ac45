"""Files and threads, for all layers: atomic writes, memory maps, safetensors, an ordered thread pool."""

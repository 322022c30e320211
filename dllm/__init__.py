"""Watch and steer a language model denoise: the engine, importable without a page, a server or a network."""

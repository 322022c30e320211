"""Published decoders, a file each: the file's name is the policy's, and so is its function's."""

"""Engine to watch and steer a diffusion language model; importable without the page, the server or a network."""

if __name__ == "dllm":  # the folder's name in a checkout: the same modules under their real name
    from unmask.alias import answer_to

    answer_to("dllm")

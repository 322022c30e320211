"""A Space that shows LLaDA decode, and writes what a visitor pins. Save this file as app.py, and as README.md:

---
title: LLaDA, pass by pass
sdk: gradio
sdk_version: 6.31.0
app_file: app.py
models: [GSAI-ML/LLaDA-8B-Instruct]
---

requirements.txt: torch, transformers, unmask[app]
"""

import os

import gradio as gr
import torch
from transformers import AutoModel, AutoTokenizer

import unmask
from unmask.gradio import Stage, follow

NAME, MASK, LENGTH = os.environ.get("MODEL", "GSAI-ML/LLaDA-8B-Instruct"), 126336, 64
tokenizer = AutoTokenizer.from_pretrained(NAME, trust_remote_code=True)
model = AutoModel.from_pretrained(NAME, trust_remote_code=True, dtype="auto").eval()
pins = {}  # of each visitor: cell -> token


@torch.no_grad()
def generate(ids, pinned):
    ids = torch.cat([ids, torch.full((1, LENGTH), MASK)], dim=1)
    while (ids == MASK).any():  # LLaDA's low-confidence remasking, two words a pass
        sure, words = model(ids).logits[0].float().softmax(-1).max(-1)
        best = sure.masked_fill(ids[0] != MASK, -1).topk(min(2, int((ids == MASK).sum()))).indices
        ids[0, best] = words[best]
        for cell, token in pinned.items():
            ids[0, cell] = token


def answer(question, visitor: gr.Request):
    talk = [{"role": "user", "content": question}]
    ids = tokenizer.apply_chat_template(
        talk, add_generation_prompt=True, return_tensors="pt", return_dict=True
    ).input_ids
    pins[visitor.session_hash] = {}
    with unmask.record(model, tokenizer, mask=MASK) as run:
        yield from follow(run, generate, ids, pins[visitor.session_hash])
    yield run


def edited(edit: gr.EventData, visitor: gr.Request):
    token = edit.token if edit.token >= 0 else tokenizer.encode(" " + edit.word, add_special_tokens=False)[0]
    pins[visitor.session_hash][edit.cell] = token


with gr.Blocks() as demo:
    question, stage = gr.Textbox("Write a sentence about the sea.", label="Question"), Stage()
    question.submit(answer, question, stage)
    stage.edit(edited)

if __name__ == "__main__":
    demo.launch()

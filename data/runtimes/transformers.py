#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Transformers as a runtime of Assay. Needs: pip install torch transformers (accelerate and bitsandbytes for offload and
quantization)"""
import os
import sys

sys.dont_write_bytecode = True
sys.path = [p for p in sys.path if os.path.realpath(p or ".") != os.path.dirname(os.path.realpath(__file__))]
sys.path.append(os.path.dirname(os.path.realpath(__file__)))  # behind the packages: this file has the name of one
import assay_protocol as assay  # noqa: E402


def quantization_of(told, torch, from_gguf):
    """bitsandbytes, in the terms of the record. The blocks of a GGUF file are undone while it is read."""
    kind = (told.text("quantization") or "").lower()
    if from_gguf:
        assay.say("quantization", "none")
        assay.say("quantization_method", "none")
        assay.say("quantized_modules", "none")
    if from_gguf or kind == "":
        return None
    from transformers import BitsAndBytesConfig
    compute = getattr(torch, told.text("compute_dtype", "float32"), torch.float32)
    if kind in ("nf4", "fp4"):
        return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=kind, bnb_4bit_compute_dtype=compute)
    if kind in ("int8", "llm.int8()"):
        return BitsAndBytesConfig(load_in_8bit=True)
    told.refuse("quantization", "this recipe makes nf4, fp4 and int8; choose one of these, or none")


def open_model(told):
    import torch
    import transformers
    assay.version("torch", "transformers")
    path, device = told.text("model_path") or told.text("model_id"), torch.device(told.text("device", "cpu"))
    folder, name = (path, None) if not path.endswith(".gguf") else os.path.split(path)
    source = {"gguf_file": name} if name else {}
    if told.text("offload_mode", "none") not in ("none", "group"):
        told.refuse("offload_mode", "Transformers offloads layers only as a device map places them; choose none or group")
    if device.type == "cuda" and not torch.cuda.is_available():
        told.refuse("device", "torch sees no card here")
    if told.integer("threads"):
        torch.set_num_threads(told.integer("threads"))
    torch.manual_seed(told.integer("seed", 0))
    assay.say("phase", "load")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **source)
    dtype = told.text("dtype", "float32")
    config, offloads = quantization_of(told, torch, name is not None), told.text("offload_mode", "none") == "group"
    placed = {"device_map": "auto"} if offloads else {"device_map": {"": device}} if config else {}
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype), quantization_config=config,
                                                              **placed, **source)
    if offloads:
        assay.say("offload_api", "device_map=auto")
    elif not config and device.type != "cpu":
        model.to(device)
        assay.say("offload_api", "to_cuda")
    assay.say("dtype", dtype)
    assay.say("attention_kernel", model.config._attn_implementation)
    assay.say("generator_device", device.type)
    assay.memory(torch, device)
    return torch, model.eval(), tokenizer, device


def prompt_of(tokenizer, told, text):
    if tokenizer.chat_template is None or told.text("chat_format", "auto") == "raw":
        assay.say("chat_format", "raw")
        return tokenizer(text, return_tensors="pt").input_ids
    system = told.text("system_prompt")
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": text}]
    wrapped = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    return tokenizer(wrapped, add_special_tokens=False, return_tensors="pt").input_ids


def draw(torch, told, logits):
    temperature, top_k, top_p = told.real("temperature", 0), told.integer("top_k", 0) or 0, told.real("top_p", 1)
    if temperature == 0:
        return logits.argmax()
    shares = torch.softmax(logits.float() / temperature, -1)
    order = shares.argsort(descending=True)
    kept = order[:top_k] if top_k else order
    kept = kept[shares[kept].cumsum(0) - shares[kept] < top_p]
    return kept[torch.multinomial(shares[kept], 1)][0]


def ends_of(model, tokenizer):
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [ends]
    return {end for end in ends + [tokenizer.eos_token_id] if end is not None}


def answer(torch, model, tokenizer, device, told, name, text):
    ids = prompt_of(tokenizer, told, text).to(device)
    context = min(told.integer("context_length", 1 << 30), getattr(model.config, "max_position_embeddings", 1 << 30))
    most, ends, made, shown, finish = told.integer("max_tokens", 256), ends_of(model, tokenizer), [], "", "length"
    assay.say("question", name)
    assay.say("phase", "prompt")
    if ids.shape[1] > context:
        assay.fail("invalid", f"the prompt of {name} has {ids.shape[1]} tokens, the context holds {context}")
    out = model(ids, use_cache=True, logits_to_keep=1)
    assay.say("input_tokens", ids.shape[1])
    assay.memory(torch, device)
    assay.say("phase", "generate")
    while len(made) < most:
        token = draw(torch, told, out.logits[0, -1])
        if int(token) in ends:
            finish = "stop"
            break
        made.append(int(token))
        assay.say("step", len(made))
        whole = tokenizer.decode(made)
        if not whole.endswith("\ufffd"):  # half a character waits for its rest
            assay.say("text", whole[len(shown):])
            shown = whole
        if ids.shape[1] + len(made) >= context:
            break
        out = model(token.view(1, 1).to(device), past_key_values=out.past_key_values, use_cache=True)
    assay.memory(torch, device)
    assay.say("output_tokens", len(made))
    assay.say("finish", finish)


def main():
    told = assay.Told()
    torch, model, tokenizer, device = open_model(told)
    with torch.inference_mode():
        for i, (name, text) in enumerate(told.questions):
            answer(torch, model, tokenizer, device, told, name, text)
            assay.say("progress", (i + 1) / len(told.questions))
    assay.peaks(torch, device)


assay.guard(main)

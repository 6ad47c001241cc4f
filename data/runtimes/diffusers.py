#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diffusers as a runtime of Assay: one picture a question. Needs: pip install torch diffusers transformers accelerate

The pipeline is built first, then ONE offload mode is enabled, ONCE, and the whole is never moved beside it."""
import os
import sys

sys.dont_write_bytecode = True
sys.path = [p for p in sys.path if os.path.realpath(p or ".") != os.path.dirname(os.path.realpath(__file__))]
sys.path.append(os.path.dirname(os.path.realpath(__file__)))  # behind the packages: this file has the name of one
import assay_protocol as assay  # noqa: E402


def place(told, torch, pipe, device):
    mode = told.text("offload_mode", "none")
    if mode == "none":
        pipe.to(device)
        assay.say("offload_api", f"to_{device.type}")
        assay.say("pipeline_moved_to_cuda", "true" if device.type == "cuda" else "false")
    elif mode == "model":
        pipe.enable_model_cpu_offload(device=device)
        assay.say("offload_api", "enable_model_cpu_offload")
    elif mode == "sequential":
        pipe.enable_sequential_cpu_offload(device=device)
        assay.say("offload_api", "enable_sequential_cpu_offload")
    else:
        leaf = told.integer("offload_granularity", 1) == 0
        how = {"offload_type": "leaf_level"} if leaf else {"offload_type": "block_level",
                                                           "num_blocks_per_group": told.integer("offload_granularity", 1)}
        pipe.enable_group_offload(onload_device=device, offload_device=torch.device("cpu"),
                                  use_stream=told.text("prefetch") == "true" and device.type == "cuda", **how)
        assay.say("offload_api", "enable_group_offload")


def open_pipeline(told):
    import torch
    import diffusers
    assay.version("torch", "diffusers")
    device = torch.device(told.text("device", "cpu"))
    if device.type == "cuda" and not torch.cuda.is_available():
        told.refuse("device", "torch sees no card here")
    assay.say("phase", "load")
    dtype = told.text("dtype", "float32")
    pipe = diffusers.DiffusionPipeline.from_pretrained(told.text("model_path") or told.text("model_id"),
                                                       torch_dtype=getattr(torch, dtype))
    if told.text("scheduler"):
        kind = getattr(diffusers, told.text("scheduler"), None)
        if kind is None:
            told.refuse("scheduler", "Diffusers has no class of that name")
        pipe.scheduler = kind.from_config(pipe.scheduler.config)
    place(told, torch, pipe, device)
    pipe.set_progress_bar_config(disable=True)
    assay.say("dtype", dtype)
    assay.say("scheduler", type(pipe.scheduler).__name__)
    assay.say("generator_device", "cpu")
    assay.memory(torch, device)
    return torch, pipe, device


def watch_decoder(pipe):
    """The phases, as the pipeline comes to them: the decoder is called once, behind the last step."""
    vae = getattr(pipe, "vae", None)
    if vae is None:
        return
    decode = vae.decode

    def heard(*args, **kwargs):
        assay.say("phase", "decode")
        return decode(*args, **kwargs)

    vae.decode = heard


def draw(torch, pipe, device, told, number, name, text):
    def after_step(_pipe, step, _time, tensors):
        if step == 0:
            assay.memory(torch, device)
        assay.say("step", step + 1)
        return tensors

    wanted = {"num_inference_steps": told.integer("steps"), "guidance_scale": told.real("guidance"),
              "width": told.integer("width"), "height": told.integer("height"),
              "num_images_per_prompt": told.integer("batch_size")}
    assay.say("question", name)
    assay.say("phase", "encode")
    seed = told.integer("seed", 0)
    generator = torch.Generator("cpu").manual_seed(seed)
    assay.say("phase", "denoise")
    image = pipe(text, generator=generator, callback_on_step_end=after_step,
                 **{key: value for key, value in wanted.items() if value is not None}).images[0]
    assay.say("width", image.width)
    assay.say("height", image.height)
    file = f"image-{number}.png"
    image.save(os.path.join(told.values["output_folder"], file))
    assay.say("image", file)
    assay.say("finish", "stop")
    assay.memory(torch, device)


def main():
    told = assay.Told()
    torch, pipe, device = open_pipeline(told)
    watch_decoder(pipe)
    with torch.inference_mode():
        for i, (name, text) in enumerate(told.questions):
            draw(torch, pipe, device, told, i, name, text)
            assay.say("progress", (i + 1) / len(told.questions))
    assay.peaks(torch, device)


assay.guard(main)

"""`--model unmask` for EleutherAI's lm-eval, in this process and without a server.

    python -m unmask.features.lab.harness --model unmask --model_args model=denoiser,samples=64 --tasks TASK

Log-likelihoods are exact for causal models, and LLaDA's Monte Carlo bound for diffusion models."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from unmask.errors import InvalidRequest
from unmask.features.lab.decoder_names import read_decoders
from unmask.inference.decode import timelines
from unmask.inference.likelihood import SAMPLES, is_likeliest, log_likelihood
from unmask.models import load
from unmask.run.presets import Decoder
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

log = logging.getLogger("lm_eval.unmask")


@dataclass
class Spent:
    """What generation cost."""

    texts: int = 0
    forwards: int = 0
    tokens: int = 0

    def __str__(self) -> str:
        return (
            f"{self.texts} texts, {self.forwards / max(1, self.texts):.1f} passes a text, "
            f"{self.tokens / max(1, self.forwards):.2f} tokens a forward"
        )


@register_model("unmask")
class UnmaskModel(LM):  # type: ignore[misc]
    """A model by name, with a decoder as `unmask sweep` reads it."""

    def __init__(
        self,
        model: str = "denoiser",
        decoder: str = "",
        length: int = 128,
        samples: int = SAMPLES,
        seed: int = 0,
        **_: Any,  # batch_size and device, which lm-eval hands to every model
    ) -> None:
        super().__init__()
        self.denoiser, self.name, self.length = load(model), model, int(length)
        self.samples, self.seed = int(samples), int(seed)
        self.decoder: Decoder | None = None
        if decoder:
            (self.decoder,) = read_decoders([decoder.replace(";", ",")], self.length, False)
        self.spent = Spent()

    @property
    def tokenizer_name(self) -> str:
        """Under this name lm-eval keeps what it has tokenized."""
        return f"unmask-{self.name}"

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """The text after each context, up to the first of its stop texts."""
        texts = [self._generate(*one.args) for one in requests]
        log.info("unmask: %s", self.spent)
        return texts

    def loglikelihood(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """For each context and continuation: the log-likelihood, and whether greedy decoding writes it."""
        found = []
        for one in requests:
            context, target = self._encode_pair(*one.args)
            nats = log_likelihood(self.denoiser, context, target, self.samples, self.seed)
            found.append((nats, is_likeliest(self.denoiser, context, target)))
        self._log_likelihoods(len(found))
        return found

    def loglikelihood_rolling(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[float]:
        """The log-likelihood of each text, in windows of the model's context."""
        found = [sum(self._windows(one.args[0])) for one in requests]
        self._log_likelihoods(len(found))
        return found

    def _windows(self, text: str) -> Iterator[float]:
        tokens, most = self.denoiser.tokenizer.encode(text), self.denoiser.card.longest - 1
        for at in range(0, len(tokens), most):
            yield log_likelihood(self.denoiser, [], tokens[at : at + most], self.samples, self.seed)

    def _encode_pair(self, context: str, target: str) -> tuple[list[int], list[int]]:
        """Tokens of a context and its continuation. Spaces at the end of the context belong to the continuation, and
        what is too long for the model is cut off at the front."""
        kept = context.rstrip()
        encode = self.denoiser.tokenizer.encode
        whole, first = encode(context + target), len(encode(kept)) if kept else 0
        own = whole[first:]
        most = self.denoiser.card.longest - 1
        if len(own) > most:
            raise InvalidRequest(f"a continuation has {len(own)} tokens; this model sees at most {most}")
        return whole[:first][len(own) + first - most if len(own) + first > most else 0 :], own

    def _generate(self, context: str, options: dict[str, Any]) -> str:
        until = options.get("until") or []
        until = [until] if isinstance(until, str) else list(until)
        length = int(options.get("max_gen_toks") or self.length)
        card, changes = self.denoiser.card, dict(self.decoder.changes) if self.decoder else {}
        if (warmth := options.get("temperature")) is not None and options.get("do_sample"):
            changes["temperature"] = float(warmth)
        length = min(length, card.longest // 2)
        tokens = tuple(self.denoiser.tokenizer.encode_prompt(context)[-(card.longest - length) :])
        preset = self.decoder.preset if self.decoder else ""
        spec = RunSpec("", self.name, length, preset, changes, self.seed, tokens=tokens)
        *_, timeline = timelines(self.denoiser, spec)
        self.spent.texts += 1
        self.spent.forwards += sum(node.frame.cost for node in timeline.head.path() if node.frame is not None)
        self.spent.tokens += timeline.measured().tokens
        text = answer_text(self.denoiser, timeline.head.canvas)
        return text[: min((at for stop in until if (at := text.find(stop)) >= 0), default=len(text))]

    def _log_likelihoods(self, count: int) -> None:
        how = "exact" if self.denoiser.card.causal else f"a bound of {self.samples} samples each"
        log.info("unmask: %d log-likelihoods, %s", count, how)


def main() -> None:
    """lm-eval's own command, which now knows `--model unmask`."""
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()


if __name__ == "__main__":
    main()

"""The plots of the documentation, drawn from result files with matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .result import unpack

Results = Mapping[str, Mapping[str, Any]]

#: Colours that stay apart for most colour-blind readers (Okabe and Ito).
COLOURS = {
    "byheart": "#0072B2",
    "byheart, per query": "#56B4E9",
    "yait-byheart 0.1.1": "#D55E00",
    "full history": "#555555",
    "sliding window": "#009E73",
}
#: A conversation nothing was tuned on.
SHOWN = "conv-41"
#: Requests shown of what is sent: enough to see it grow, few enough to tell them apart.
GROWING = 300


def colour(system: str) -> str:
    return COLOURS.get(system, COLOURS["sliding window"])


@dataclass(frozen=True)
class Plot:
    """A plot, the result it needs, and what it shows."""

    needs: str
    caption: str
    draw: Callable[[Any, Mapping[str, Any]], None]


def of_conversation(trace: Mapping[str, Any], conversation: str) -> dict[str, list[Any]]:
    """The columns of a trace, cut down to one conversation (the first there is, if that one is not)."""
    present = trace["conversation"]
    wanted = conversation if conversation in present else present[0]
    keep = [n for n, name in enumerate(present) if name == wanted]
    return {key: [column[n] for n in keep] for key, column in trace.items()}


def _running(values: list[float], width: int) -> list[float]:
    result = []
    for n in range(len(values)):
        part = values[max(0, n - width + 1) : n + 1]
        result.append(sum(part) / len(part))
    return result


def cost(axes: Any, result: Mapping[str, Any]) -> None:
    """Effective tokens per request over one conversation, rebuilds marked."""
    traces = unpack(result["traces"])
    for name, trace in traces.items():
        one = of_conversation(trace, SHOWN)
        smooth = _running(one["effective"], 15)
        axes.plot(smooth, label=name, color=colour(name), linewidth=2 if name == "byheart" else 1)
        if name == "byheart":
            marks = [n for n, rebuilt in enumerate(one["rebuilt"]) if rebuilt]
            axes.plot(marks, [smooth[n] for n in marks], "v", color=colour(name), label="byheart rebuilds")
    axes.set_xlabel("request")
    axes.set_ylabel("effective tokens (mean of 15 requests)")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8)


def growing(axes: Any, result: Mapping[str, Any]) -> None:
    """What byheart sends, request by request: recalled stretches and turns as themselves."""
    one = of_conversation(unpack(result["traces"])["byheart"], SHOWN)
    one = {key: column[:GROWING] for key, column in one.items()}
    requests = range(len(one["own"]))
    own = [value / 1000 for value in one["own"]]
    recalled = [value / 1000 for value in one["recalled"]]
    axes.fill_between(requests, recalled, color="#9BD0F0", label="recalled stretches", step="mid", linewidth=0)
    axes.fill_between(requests, recalled, own, color="#0072B2", label="turns as themselves", step="mid", linewidth=0)
    history = [value / 1000 for value in one["history"]]
    axes.plot(requests, history, color="#555555", linewidth=1, label="everything that was said")
    for n in (n for n, rebuilt in enumerate(one["rebuilt"]) if rebuilt):
        axes.axvline(n - 0.5, color="#D55E00", linewidth=1, linestyle=":")
    axes.plot([], [], color="#D55E00", linestyle=":", label="selected afresh")
    budget = result["options"].get("budget", 20_000) / 1000
    axes.axhline(budget, color="black", linewidth=0.8, linestyle="--")
    axes.text(0, budget, " budget", va="bottom", fontsize=8)
    axes.set_xlabel("request")
    axes.set_ylabel("thousand characters")
    axes.set_xlim(0, len(own))
    axes.set_ylim(0, max(own) * 1.3)
    axes.legend(frameon=False, fontsize=8, loc="upper left", ncols=2)


def recall_cost(axes: Any, result: Mapping[str, Any]) -> None:
    """Recall against effective tokens, a line for each budget over its ceilings."""
    lines: dict[tuple[str, str, Any], list[dict[str, Any]]] = {}
    for point in result["series"]["points"]:
        group = point["budget"] if point["system"] == "byheart" else None
        lines.setdefault((point["system"], point["setting"] if point["system"] == "byheart" else "", group), []).append(
            point
        )
    labelled = set()
    for (system, _, budget), points in lines.items():
        x, y = [p["effective"] for p in points], [p["recall"] for p in points]
        axes.plot(
            x,
            y,
            "o-" if len(points) > 1 else "o",
            color=colour(system),
            markersize=4,
            linewidth=1,
            label=None if system in labelled else system,
        )
        labelled.add(system)
        for p in points:
            word = (
                f"{p['ceiling']:g}x"
                if system == "byheart"
                else (f"{p['budget'] // 1000}k" if p["budget"] else p["setting"])
            )
            axes.annotate(word, (p["effective"], p["recall"]), fontsize=6, xytext=(3, -7), textcoords="offset points")
        if budget:
            axes.annotate(
                f"{budget // 1000}k",
                (x[-1], y[-1]),
                fontsize=8,
                xytext=(4, 4),
                textcoords="offset points",
                color=colour(system),
            )
    axes.set_xlabel("effective tokens a request")
    axes.set_ylabel("evidence recall")
    axes.set_ylim(max(0.75, min(p["recall"] for p in result["series"]["points"]) - 0.01), 1.005)
    axes.legend(frameon=False, fontsize=8, loc="lower right")


def long_life(axes: Any, result: Mapping[str, Any]) -> None:
    """Effective tokens a request as one conversation goes on and on."""
    for name, means in result["series"].items():
        axes.plot(range(1, len(means) + 1), means, "o-", color=colour(name), label=name, markersize=3)
    axes.set_xlabel("LoCoMo conversations joined so far")
    axes.set_ylabel("effective tokens a request")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8)


def peers(axes: Any, result: Mapping[str, Any]) -> None:
    """Evidence recall of memories by others, a row each, a mark for each budget with its interval."""
    import matplotlib

    rows = [row for row in result["tables"][0]["rows"] if row[3] is not None]
    names = list(dict.fromkeys(row[0] for row in rows))
    blues = matplotlib.colormaps["Blues"]
    budgets = sorted({row[2] for row in rows})
    for budget in budgets:
        mine = [row for row in rows if row[2] == budget]
        values = [row[3] for row in mine]
        axes.errorbar(
            [v["value"] for v in values],
            [names.index(row[0]) for row in mine],
            xerr=[[v["value"] - v["low"] for v in values], [v["high"] - v["value"] for v in values]],
            fmt="o",
            color=blues(0.35 + 0.6 * budgets.index(budget) / len(budgets)),
            capsize=2,
            label=f"{budget:,} characters",
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("evidence recall, 95 % intervals")
    axes.set_xlim(0, 1)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def scale(axes: Any, result: Mapping[str, Any]) -> None:
    """Two turns and a question, by the turns there are, both axes logarithmic."""
    colours = {"rank-bm25": "#CC79A7", "bm25s": "#E69F00", "SQLite FTS5": "#009E73"}
    for name, lines in result["series"]["zipf"].items():
        turns, seconds = zip(*lines["both"], strict=True)
        shade = colours.get(name, colour(name))
        axes.loglog(turns, [1000 * s for s in seconds], "o-", color=shade, label=name, markersize=4)
    axes.set_xlabel("turns")
    axes.set_ylabel("two turns and a question, ms")
    axes.grid(visible=True, which="major", linewidth=0.3)
    axes.legend(frameon=False, fontsize=8)


PLOTS: dict[str, Plot] = {
    "growing-context": Plot(
        "replay",
        f"What byheart sends over a conversation ({SHOWN}), request by request: the "
        "context only grows until it is rebuilt",
        growing,
    ),
    "cost-over-conversation": Plot(
        "replay", f"Effective tokens a request over a conversation ({SHOWN}), rebuilds marked", cost
    ),
    "recall-against-cost": Plot(
        "sweep", "Evidence recall against cost in live replay, over budgets (lines) and ceilings (points)", recall_cost
    ),
    "memories-by-others": Plot(
        "peers", "Evidence recall of byheart and of memories by others, each in the same room", peers
    ),
    "scale": Plot(
        "scale", "Two turns appended and a question asked, in conversations of a thousand to a million turns", scale
    ),
    "long-life": Plot("longlife", "Effective tokens a request when all ten conversations are lived as one", long_life),
}


def available(loaded: Results) -> list[str]:
    """The plots whose results are there."""
    names = [name for name, plot in PLOTS.items() if plot.needs in loaded]
    if "replay" in loaded and "byheart" not in unpack(loaded["replay"]["traces"]):
        names = [name for name in names if name != "growing-context"]
    return names


def draw(name: str, loaded: Results, folder: Path, ending: str = "svg") -> Path:
    """One plot as a file; the same results give the same bytes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.{ending}"
    settings: dict[Any, Any] = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with matplotlib.rc_context(settings):
        figure, axes = pyplot.subplots(figsize=(8, 4.2), layout="constrained")
        PLOTS[name].draw(axes, loaded[PLOTS[name].needs])
        figure.savefig(path, metadata={"Date": None} if ending == "svg" else None, dpi=120)
        pyplot.close(figure)
    return path

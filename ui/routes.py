"""Access rules of Gradio's routes: those the page needs are public, those that decode need a key, the rest is off."""

from __future__ import annotations

from unmask.serve.access import Access, Rules
from unmask.serve.features import rules
from unmask.ui.elements import PLACE

_PAGE = (
    "/", "/config", "/config/", "/theme.css", "/static/*", "/assets/*", "/svelte/*", "/favicon.ico", "/robots.txt",
    "/manifest.json", "/pwa_icon", "/pwa_icon/*", "/gradio_api/theme.css", "/gradio_api/startup-events",
    "/gradio_api/heartbeat/*", "/gradio_api/app_id", "/gradio_api/app_id/", "/gradio_api/info", "/gradio_api/info/",
    "/gradio_api/run/*",  # the page's forms; the tools that decode check the key themselves
)  # fmt: skip
_PROGRAMS = (
    "/gradio_api/queue/*", "/gradio_api/call/*", "/gradio_api/cancel", "/gradio_api/mcp", "/gradio_api/mcp/*",
)  # fmt: skip
_OFF = (
    "/openapi.json", "/gradio_api/openapi.json", "/login", "/login/", "/logout", "/monitoring", "/monitoring/*",
    "/gradio_api/deep_link", "/gradio_api/user", "/gradio_api/user/", "/gradio_api/login_check",
    "/gradio_api/login_check/", "/gradio_api/token", "/gradio_api/token/", "/gradio_api/dev/reload", "/gradio_api/runs",
    "/gradio_api/runs/", "/gradio_api/run-history/*", "/gradio_api/custom_component/*", "/gradio_api/proxy=*",
    "/gradio_api/file=*", "/gradio_api/file/*", "/gradio_api/stream/*", "/gradio_api/reset", "/gradio_api/reset/",
    "/gradio_api/api/*", "/gradio_api/component_server", "/gradio_api/component_server/", "/gradio_api/upload",
    "/gradio_api/upload_progress", "/gradio_api/process_recording", "/gradio_api/vibe-*", "/gradio_api/undo-vibe-*",
)  # fmt: skip

PAGES = ("/",)  # HTML documents, which need a wider content security policy

RULES: Rules = {
    **rules(),
    f"/{PLACE}/*": Access.PUBLIC,
    **dict.fromkeys(_PROGRAMS, Access.KEYED),
    **dict.fromkeys(_OFF, Access.OFF),
    **dict.fromkeys(_PAGE, Access.PUBLIC),
}

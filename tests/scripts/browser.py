"""Chromium without a window, driven over a pipe by its DevTools protocol. Needs nothing but Python and chromium."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_browser():
    names = (os.environ.get("APOD_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


class Browser:
    """One page. `errors` holds what went wrong on it, `requests` every address it asked for."""

    def __init__(self, program, wait_s=120):
        self.wait_s = wait_s
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', program, "--headless=new", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
             "about:blank"], pass_fds=(to_read, to_write), env={**os.environ, "HOME": self.folder.name},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.number, self.session = b"", 0, None
        self.errors, self.requests, self.loaded, self.media = [], [], False, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.folder.cleanup()

    def message(self):
        """The next one that the browser sends."""
        end = time.monotonic() + self.wait_s
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, end - time.monotonic()))
            block = os.read(self.from_browser, 1 << 20) if ready else b""
            if not block:
                raise RuntimeError(f"the browser said nothing in {self.wait_s} s" if not ready else "the browser ended")
            self.rest += block
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def take(self, event):
        name, what = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif name == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.errors.append(what["entry"]["text"])
        elif name == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert", "warning"):
            self.errors.append(str(what["args"]))
        elif name == "Page.javascriptDialogOpening":
            self.errors.append("a dialog: " + what["message"])
        elif name == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif name == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") != self.number:
                self.take(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def write(self, data):
        while data:
            data = data[os.write(self.to_browser, data):]

    def open(self, path, script=True):
        """Loads the file. Returns the seconds until it was there."""
        self.errors, self.requests, self.loaded = [], [], False
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        begin = time.monotonic()
        self.call("Page.navigate", url=f"file://{path}")
        while not self.loaded:
            self.take(self.message())
        return time.monotonic() - begin

    def run(self, expression):
        """What the expression is on the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", "failed"))
        return found["result"].get("value")

    def window(self, width, height=900, dark=False, printed=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        if self.media != (media := (dark, printed)):
            self.call("Emulation.setEmulatedMedia", media="print" if printed else "screen",
                      features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
            self.media = media

    def pdf(self):
        """As it is printed on A4, background and all."""
        self.call("Emulation.setEmulatedMedia", media="", features=[])
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        return base64.b64decode(data)

    def picture(self):
        """Of the whole page, in base 64."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        return self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]

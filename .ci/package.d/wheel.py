"""Makes a wheel of Python: the program, and what a test calls and pytest loads.

    python3 wheel.py VERSION PROGRAM RESOURCES SOURCES LICENSE DEPENDENCIES FOLDER

SOURCES is `.ci/client/python`. The time of its files is that of SOURCE_DATE_EPOCH, so that the same files make the same wheel.
"""

import base64
import hashlib
import os
import pathlib
import platform
import sys
import time
import zipfile

version, program, resources, sources, license_file, dependencies, folder = sys.argv[1:]
program, resources, sources = map(pathlib.Path, (program, resources, sources))
tag = f"py3-none-linux_{platform.machine()}"
information = f"app_store_sandbox-{version}.dist-info"
moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), 315532800))[:6]

files = {
    "app_store_sandbox/__init__.py": (sources / "app_store_sandbox.py").read_bytes(),
    "app_store_sandbox/pytest_plugin.py": (sources / "conftest.py").read_bytes(),
    "app_store_sandbox/__main__.py": b'''"""Runs sandbox-store in place of this process."""

import os
import sys

from app_store_sandbox import default_program


def main():
    os.execv(default_program(), ["sandbox-store", *sys.argv[1:]])


if __name__ == "__main__":
    main()
''',
    "app_store_sandbox/bin/sandbox-store": program.read_bytes(),
    f"{information}/LICENSE": pathlib.Path(license_file).read_bytes(),
    f"{information}/METADATA": f"""\
Metadata-Version: 2.1
Name: app-store-sandbox
Version: {version}
Summary: App Stores of their own for the tests of a server, with a plugin of pytest
License: Apache-2.0
Requires-Python: >=3.9
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/plain

A test that asks for the fixture app_store has an App Store of its own:

    def test_renewal(app_store):
        app_store.buy("pro.monthly")
        app_store.advance("1y")

The program in it needs, by their names in Debian: {dependencies}.
""".encode(),
    f"{information}/WHEEL": f"Wheel-Version: 1.0\nGenerator: StoreCore\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    f"{information}/entry_points.txt": b"""\
[console_scripts]
sandbox-store = app_store_sandbox.__main__:main

[pytest11]
app_store_sandbox = app_store_sandbox.pytest_plugin
""",
}
for file in sorted(resources.rglob("*")):
    if file.is_file():
        files[f"app_store_sandbox/bin/{resources.name}/{file.relative_to(resources)}"] = file.read_bytes()

record = "".join(
    f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}\n"
    for name, data in files.items()
)
files[f"{information}/RECORD"] = f"{record}{information}/RECORD,,\n".encode()

wheel = pathlib.Path(folder) / f"app_store_sandbox-{version}-{tag}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name, moment)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if name.endswith("/bin/sandbox-store") else 0o100644) << 16
        archive.writestr(entry, data)
print(wheel)

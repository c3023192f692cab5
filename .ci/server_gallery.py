"""Simulates the servers of the gallery: server_gallery.py SANDBOX-STORE FOLDER [LIVES] [NAME...]

Prints a line for each server. Fails if a defect is not found in 400 lives, is not one of what the server says, is not reduced to 8
steps, or if the right server breaks a rule.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

FOUND_IN, REDUCED_TO = 400, 8
# A server that waits for ever is no result.
PATIENCE = 900

program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
servers = pathlib.Path(__file__).resolve().parent / "servers"
words = sys.argv[3:]
lives = int(words.pop(0)) if words and words[0].isdigit() else 100
names = sorted(file.stem for file in servers.glob("*.py"))
unknown = [word for word in words if word not in names]
if lives < 1 or unknown:
    sys.exit(f"there is no server {unknown[0]}: {', '.join(names)}" if unknown else "the right server needs a life")


def simulated(name, *options, patience=PATIENCE):
    """Runs the simulation of a server; returns the exit code, what it printed, and the seconds."""
    simulation = json.loads((servers / "simulation.json").read_text())
    simulation["server"]["command"] = [sys.executable, f"{name}.py"]
    # Python keeps what it has compiled of the copies: a server is started several times in a life.
    simulation["server"]["environment"] = {"PYTHONDONTWRITEBYTECODE": ""}
    file = folder / f"{name}.json"
    file.write_text(json.dumps(simulation))
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [program, "simulate-server", str(file), *options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=os.environ | {"TMPDIR": str(folder)}, timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return None, f"not finished after {patience} s", patience
    return done.returncode, done.stdout + done.stderr * (done.returncode != 0), time.monotonic() - begun


def faulty(name):
    """Whether the defect of a server is found, and the lines that say so."""
    code, text, seconds = simulated(name, "--runs", str(FOUND_IN), "--jobs", "1")
    found = re.search(r"^seed (\d+), (\d+) of (\d+) steps:\n((?: {4}.*\n)*)", text, re.MULTILINE)
    # A server that fails has a defect, but not the one that was made.
    if code != 1 or not found or " says the server; " not in text.splitlines()[0]:
        return False, f"{name:26} NOT FOUND in {FOUND_IN} lives, {seconds:.1f} s\n{text[-2000:]}"
    seed, steps, drawn = map(int, found.groups()[:3])
    sentence = next(line for line in text.splitlines() if line and not re.match(r"\d+ of \d+ lives", line))
    line = f"{name:26} {steps:2} of {drawn} steps, life {seed:3}, {seconds:5.1f} s: {sentence}"
    is_reduced = 1 <= steps <= REDUCED_TO
    return is_reduced, line + ("" if is_reduced else f"\nNOT 1 TO {REDUCED_TO} STEPS:\n{found[4]}")


for file in servers.glob("*.py"):
    shutil.copy(file, folder)
failures = 0
begun = time.monotonic()
others = [name for name in words or names if name != "right"]
# Lives that only wait for a server's start leave the machine to others.
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for done in concurrent.futures.as_completed([pool.submit(faulty, name) for name in others]):
        is_found, line = done.result()
        failures += not is_found
        print(line, flush=True)
said = f"{len(others)} defects are found, in {time.monotonic() - begun:.0f} s"
if not words or "right" in words:
    code, text, seconds = simulated("right", "--runs", str(lives), patience=PATIENCE + 2 * lives)
    failures += code != 0
    print(f"{'right':26} {text.strip()}" if code == 0 else f"right BREAKS A RULE\n{text}")
    said += f"; the right server keeps all rules in {lives} lives"
if failures:
    sys.exit(f"server gallery: {failures} servers are not as they should be")
print(f"server gallery: {said}")

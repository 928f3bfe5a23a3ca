#!/usr/bin/python3
"""schemas.py FOLDER [all]: is the JSON that m1top wrote as docs/schema says. TAP.

FOLDER has a file VERB.* for each run of m1top VERB -j. With "all", each alternative of each schema must have been reached, and
a schema must describe each member, and refuse what it has just accepted as soon as a member is added or of another kind.
With the system's Python, whose jsonschema is the distribution's.
"""
import glob
import json
import os
import re
import sys

try:
    import jsonschema
    jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("ok 1 - what -j writes is as docs/schema says # SKIP python3-jsonschema 4 is not installed\n1..1")
    sys.exit(0)

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "schema")
OF_VERB = {"replay": "stat", "survey": "report"}  # others are named after the verb
LINES = {"stat"}  # an object on each line


class Schema:
    def __init__(self, name):
        with open(os.path.join(SCHEMAS, name + ".json"), encoding="utf-8") as file:
            text = json.load(file)
        jsonschema.Draft202012Validator.check_schema(text)
        self.name = name
        self.whole = jsonschema.Draft202012Validator(text)
        rows = text.get("items", text)
        alternatives = rows.get("oneOf", [])
        self.alternatives = [choice["$ref"] for choice in alternatives]
        self.is_of_rows = rows is not text
        self.forms = set()  # texts without their digits: one of each is enough
        self.accepted = {}  # by alternative: the first that it accepted
        self.n = 0

    def fault(self, text):
        """Return the most telling reason why it is invalid, or ''; count what is valid."""
        self.n += 1
        form = re.sub("[0-9]+", "0", text)
        if form in self.forms:
            return ""
        self.forms.add(form)
        value = json.loads(text)
        error = jsonschema.exceptions.best_match(self.whole.iter_errors(value))
        if error:
            return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for row in value if self.is_of_rows else [value]:
            choice = next((c for c in self.alternatives if self.is_of(c, row)), "")
            self.accepted.setdefault(choice, row)
        return ""

    def is_of(self, choice, row):
        return self.whole.evolve(schema={"$ref": choice, "$defs": self.whole.schema["$defs"]}).is_valid(row)

    def faults_of_all(self):
        """What no output reached, and what it takes though it must not."""
        faults = [f"{self.name}{choice}: no test writes it"
                  for choice in self.alternatives or [""] if choice not in self.accepted]
        faults += [f"{self.name}: {name} has no description" for name in undescribed(self.whole.schema)]
        for row in self.accepted.values():
            for what, broken in changed(row):
                if self.whole.is_valid([broken] if self.is_of_rows else broken):
                    faults.append(f"{self.name}: takes {what}: {json.dumps(broken)[:120]}")
        return faults


def undescribed(schema):
    """Yield the names of members of which a schema says nothing."""
    for key, value in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if key == "properties":
            yield from (name for name, of in value.items() if not {"description", "$ref"} & set(of))
        if isinstance(value, (dict, list)):
            yield from undescribed(value)


def changed(row):
    """Yield copies of an object with one fault each."""
    if not isinstance(row, dict):
        yield "what is not an array", {"rows": row}
        return
    yield "an unknown member", {**row, "unknown": {}}
    for key in row:
        yield f"{key} of another kind", {**row, key: {"": 0}}


def texts(path, schema):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text.splitlines() if schema.name in LINES else [text] if text else []


def main():
    schemas = {name[:-5]: Schema(name[:-5]) for name in sorted(os.listdir(SCHEMAS))}
    faults = []
    for path in sorted(glob.glob(os.path.join(glob.escape(sys.argv[1]), "*"))):
        verb = os.path.basename(path).split(".")[0]
        schema = schemas[OF_VERB.get(verb, verb)]
        try:
            faults += [f"m1top {verb}: {fault}" for fault in map(schema.fault, texts(path, schema)) if fault]
        except ValueError as error:
            faults.append(f"m1top {verb}: not JSON: {error}")
    if sys.argv[2:] == ["all"]:
        for schema in schemas.values():
            faults += schema.faults_of_all()
    for fault in faults[:40]:
        print(f"# {fault}")
    for schema in schemas.values():
        print(f"# docs/schema/{schema.name}.json: {schema.n} valid")
    print(f"{'not ok' if faults else 'ok'} 1 - what -j writes is as docs/schema says")
    print("1..1")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

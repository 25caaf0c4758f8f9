"""Validation of what the host emits against the published schemas, where those are at hand."""

import functools
import json
import pathlib

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "spec" / "data" / "schemas"

pytestmark_missing = pytest.mark.skipif(not SCHEMAS.is_dir(), reason="the published schemas are not at hand")


@functools.cache
def _registry() -> Registry:
    registry = Registry()
    for path in SCHEMAS.glob("*.schema.json"):
        document = json.loads(path.read_text())
        resource = Resource.from_contents(document)
        registry = registry.with_resource(document.get("$id", path.name), resource)
        registry = registry.with_resource(path.name, resource)
    return registry


def _check(validator: Draft202012Validator, document) -> None:
    faults = [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(document)]
    assert not faults, faults


@functools.cache
def _validator(name: str) -> Draft202012Validator:
    document = json.loads((SCHEMAS / name).read_text())
    return Draft202012Validator(document, registry=_registry())


@functools.cache
def _payload_validator(event_type: str) -> Draft202012Validator:
    name = "run-event-payloads.schema.json"
    document = json.loads((SCHEMAS / name).read_text())
    target = document["_typeIndex"]["properties"][event_type]["$ref"]
    base = document.get("$id", name)
    return Draft202012Validator({"$ref": f"{base}{target}"}, registry=_registry())


def check_snapshot(document) -> None:
    """A run snapshot as the published schema wants it."""
    _check(_validator("run-snapshot.schema.json"), document)


def check_event(document) -> None:
    """An event's envelope and the payload its type names."""
    _check(_validator("run-event.schema.json"), document)
    _check(_payload_validator(document["type"]), document["payload"])

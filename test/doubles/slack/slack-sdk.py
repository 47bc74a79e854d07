"""Reads a JSON list of lists of blocks; writes a JSON list: null where slack_sdk's models take them, else what they say."""

import json
import sys

from slack_sdk.models.blocks import Block


def verdict(blocks):
    try:
        for block in blocks:
            parsed = Block.parse(block)
            if parsed is None:
                return "not a block that slack_sdk knows"
            parsed.to_dict()
    except Exception as refusal:  # each of its models raises what it likes
        return f"{type(refusal).__name__}: {refusal}"
    return None


json.dump([verdict(blocks) for blocks in json.load(sys.stdin)], sys.stdout)

const NEWLINE = 0x0a;

/** Takes a stream apart into lines. */
export interface Lines {
  /** Gives each line that the chunk completes. Throws a RangeError for a line longer than `most` bytes. */
  push(chunk: Buffer): void;
  /** How many bytes of a line have come whose end has not. */
  rest(): number;
}

/** Splits bytes, not text: a character may be cut by a chunk's end, and most bytes are never looked at twice. */
export function lines(each: (line: Buffer) => void, most: number): Lines {
  let pending: Buffer[] = [];
  let size = 0;
  const hold = (part: Buffer) => {
    if (part.length === 0) return;
    pending.push(part);
    size += part.length;
    if (size > most) throw new RangeError(`a line is longer than ${most} bytes`);
  };
  const completed = (end: Buffer): Buffer => {
    if (size === 0) return end;
    const line = Buffer.concat([...pending, end], size + end.length);
    pending = [];
    size = 0;
    return line;
  };
  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        const line = completed(chunk.subarray(from, at));
        from = at + 1;
        if (line.length > most) throw new RangeError(`a line is longer than ${most} bytes`);
        if (line.length > 0) each(line);
      }
      hold(chunk.subarray(from));
    },
    rest: () => size,
  };
}

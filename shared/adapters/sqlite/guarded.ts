/** What SQLite's primary result codes mean to a person (https://www.sqlite.org/rescode.html), and what to do next. */
const SENTENCES: Readonly<Record<number, string>> = {
  5: 'is being used by another process: stop that one first, or name another state file',
  8: 'cannot be written: check who owns it, or name another state file',
  10: 'cannot be read or written, the disk says: check the disk',
  11: 'is damaged: put back a copy of it, or move it away to begin anew',
  13: 'cannot grow, the disk is full: make room',
  14: 'cannot be opened: check that its folder is there and that you may write into it',
  26: 'is no Gleaner state file: name another path, or move it away',
};

/** The primary result code of an error of SQLite's; undefined of another error. */
export function codeOf(error: unknown): number | undefined {
  const code: unknown = Object(error).errcode;
  // The low byte of an extended code is the primary one.
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Runs `act` on a file, and turns what SQLite throws into an Error with a sentence that names the file. */
export function guarded<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const said = SENTENCES[code] ?? 'cannot be used: name another path, or put back a copy of it';
    throw new Error(`${file} ${said} (${Object(error).message})`, { cause: error });
  }
}

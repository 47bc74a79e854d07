/** A file's text, or what it is instead. */
export type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly because: string };

const strict = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8, and the UTF-16 that PowerShell's `>` writes. Line ends become `\n`. */
export function textOf(bytes: Buffer): Text {
  if (bytes.length === 0) return { ok: false, because: 'is empty' };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { ok: false, because: 'is packed with gzip: unpack it first' };
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = utf16 ? new TextDecoder('utf-16le').decode(bytes) : strict.decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells noise from text
    if (/[\0-\x08\x0e-\x1f]/.test(text.slice(0, 4096))) return { ok: false, because: NOISE };
    return { ok: true, text: text.includes('\r') ? text.replaceAll('\r\n', '\n') : text };
  } catch {
    return { ok: false, because: NOISE };
  }
}

const NOISE = 'is not text: give YAML or JSON from `kubectl get -o yaml|json`, or a support bundle';

/** The lines of the end of a log, oldest first; what is no UTF-8 in it is replaced. */
export function linesOf(bytes: Buffer): string[] {
  const lines = bytes.toString('utf8').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

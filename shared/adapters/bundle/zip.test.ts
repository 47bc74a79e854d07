import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Node } from '../../kinds.ts';
import { openFiles } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleaner-zip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface File {
  readonly name: string;
  readonly content: string;
  /** The size that the zip claims, where it lies. */
  readonly claims?: number;
}

/** A zip as `zip` writes it: local headers with the content, the central directory, its end. */
function zipOf(files: readonly File[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claims } of files) {
    const [raw, bytes] = [Buffer.from(content), Buffer.from(name)];
    const packed = deflateRawSync(raw);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(raw), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(claims ?? raw.length, 18);
    shared.writeUInt16LE(bytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, bytes, packed]);
    const entry = Buffer.alloc(46 + bytes.length);
    entry.write('PK\x01\x02', 0, 'latin1');
    entry.writeUInt16LE(20, 4);
    shared.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    bytes.copy(entry, 46);
    parts.push(local);
    central.push(entry);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

const READS = { reads: [{ kind: Node }] };
const node = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

async function open(bytes: Buffer) {
  const path = join(folder, 'bundle.zip');
  writeFileSync(path, bytes);
  const said = await openFiles(path, READS);
  if (!said.ok) return { because: said.because.slice(path.length + 1), names: [], warnings: [] };
  const look = await said.source.look({ read: READS.reads });
  const names = (await look.list(Node)).map(({ metadata }) => metadata.name);
  await said.source.close();
  return {
    because: undefined,
    names,
    warnings: said.source.warnings().map(({ where, because }) => `${where}: ${because}`),
  };
}

describe('A zip', () => {
  it('is read like the folder that was packed, and its nested zips are left alone', async () => {
    const said = await open(
      zipOf([
        { name: 'x/', content: '' },
        { name: 'x/a.json', content: node('n1') },
        { name: 'x/nodes/n1.zip', content: 'PK' },
      ]),
    );

    expect(said.names).toEqual(['n1']);
    expect(said.warnings).toContainEqual(expect.stringMatching(/^x\/nodes\/n1\.zip: was not read/));
  });

  it('is searched for a support bundle', async () => {
    const said = await open(
      zipOf([
        { name: 'b/yamls/cluster/v1/nodes.yaml', content: `{"apiVersion":"v1","kind":"List","items":[${node('n1')}]}` },
        { name: 'b/metadata.yaml', content: 'bundleCreatedAt: "2026-01-15T12:00:00Z"\n' },
      ]),
    );

    expect(said).toMatchObject({ names: ['n1'], warnings: [] });
  });

  it.each([
    ['a name that leads out of it', { name: '../../etc/passwd.json', content: node('evil') }, /leads out of the zip/],
    ['an absolute name', { name: '/etc/passwd.json', content: node('evil') }, /leads out of the zip/],
    ['a bomb', { name: 'bomb.json', content: ' '.repeat(20 * 1024 * 1024) }, /zip bomb/],
    [
      'an entry that is larger than it claims',
      { name: 'liar.json', content: `${node('evil')}   `, claims: 20 },
      /liar\.json: /,
    ],
    ['a second file of a name', { name: 'good.json', content: node('evil') }, /another file of that name/],
  ])('leaves out %s, says so, and reads the rest', async (_what, bad, because) => {
    const said = await open(zipOf([{ name: 'good.json', content: node('good') }, bad]));

    expect(said.names).toEqual(['good']);
    expect(said.warnings.join('\n')).toMatch(because);
  });

  it('that is cut off is refused in one line', async () => {
    const whole = zipOf([{ name: 'a.json', content: node('n1') }]);

    expect((await open(whole.subarray(0, whole.length - 10))).because).toMatch(/^is no readable zip: [^\n]+$/);
  });

  it('is read, or refused in one line, whatever bytes of it are changed or lost', async () => {
    const whole = zipOf(['a', 'b', 'c'].map((name) => ({ name: `${name}.json`, content: node(name) })));
    const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
    const damaged = (changes: readonly { at: number; byte: number }[], lost: number) => {
      const bytes = Buffer.from(whole.subarray(0, whole.length - lost));
      for (const { at, byte } of changes.filter((one) => one.at < bytes.length)) bytes[at] = byte;
      return bytes;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), fc.nat(3), async (changes, lost) => {
        const said = await open(damaged(changes, lost * 7));

        expect(said.because ?? '').not.toContain('\n');
        expect(said.because !== undefined || said.names.length + said.warnings.length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

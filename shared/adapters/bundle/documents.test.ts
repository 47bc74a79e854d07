import { describe, expect, it } from 'vitest';
import { documentsOf } from './documents.ts';

const everything = () => true;
const onlyPods = ({ kind }: { kind: string }) => kind === 'Pod';

const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

describe('Documents', () => {
  it('reads YAML of several documents, and skips the empty ones', () => {
    const text = '---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n---\n\n---\n# nothing\n---\nkind: Node\n';

    expect(documentsOf(text, everything)).toEqual({ ok: true, values: [node('n1'), { kind: 'Node' }], problems: [] });
  });

  it('reads JSON that kubectl wrote to one file several times', () => {
    const text = `${JSON.stringify(node('n1'), null, 4)}\n${JSON.stringify(node('n2'), null, 4)}\n`;

    expect(documentsOf(text, everything)).toEqual({ ok: true, values: [node('n1'), node('n2')], problems: [] });
  });

  it('keeps only apiVersion and kind of the items that nobody reads', () => {
    const text =
      'apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Event\n  message: long\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p\nkind: List\n';

    expect(documentsOf(text, onlyPods)).toMatchObject({
      values: [
        {
          kind: 'List',
          items: [
            { apiVersion: 'v1', kind: 'Event' },
            { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
          ],
        },
      ],
    });
    expect(JSON.stringify(documentsOf(text, onlyPods))).not.toContain('long');
  });

  it('reads a list whose items are indented, before or after its other keys', () => {
    const text =
      'kind: List\nmetadata:\n  at: 2026-01-15T12:00:00Z\nitems:\n  - apiVersion: v1\n    kind: Pod\napiVersion: v1\n';

    expect(documentsOf(text, everything)).toEqual({
      ok: true,
      values: [
        {
          apiVersion: 'v1',
          kind: 'List',
          metadata: { at: '2026-01-15T12:00:00Z' },
          items: [{ apiVersion: 'v1', kind: 'Pod' }],
        },
      ],
      problems: [],
    });
  });

  it('reads the other items where one is broken, and names it', () => {
    const text =
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  a: [\n- apiVersion: v1\n  kind: Pod\n  b: 1\n';

    expect(documentsOf(text, everything)).toMatchObject({
      values: [{ items: [{ kind: 'Pod', b: 1 }] }],
      problems: [expect.stringMatching(/^items\[0\] cannot be read as YAML/)],
    });
  });

  it('reads the other documents where one is broken, and names it', () => {
    expect(documentsOf('a: 1\n---\nb: [\n', everything)).toMatchObject({
      values: [{ a: 1 }],
      problems: [expect.stringMatching(/^document 2 cannot be read as YAML/)],
    });
  });

  it('reads a literal block that looks like a document or a list as the text that it is', () => {
    const data =
      'apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    x: |\n      ---\n      items:\n      - kind: Event\n  kind: ConfigMap\nkind: List\n';

    expect(documentsOf(data, everything)).toMatchObject({
      values: [{ items: [{ kind: 'ConfigMap', data: { x: '---\nitems:\n- kind: Event\n' } }] }],
    });
  });

  it.each([
    ['nothing', '', /^is empty$/],
    ['only spaces', ' \n\n', /^is empty$/],
    ['only comments', '# nothing\n', /^is empty$/],
    ['cut JSON', '{"a": [1, 2', /^cannot be read as JSON: /],
    ['cut YAML', 'kind: [unclosed\n', /^cannot be read as YAML: Flow sequence .* line \d+, column \d+$/],
    ['HTML', '<html>502 Bad Gateway</html>', /^is HTML/],
    ['an alias bomb', `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n`, /alias/i],
    ['JSON that is nested deeper than the stack', `{"a":${'['.repeat(200_000)}`, /^cannot be read as/],
    ['YAML that is nested deeper than the stack', `a: ${'['.repeat(20_000)}`, /^cannot be read as YAML/],
  ])('says in one line what is wrong with %s', (_what, text, because) => {
    const read = documentsOf(text, everything);

    expect(read).toMatchObject({ ok: false, because: expect.stringMatching(because) });
    expect(JSON.stringify(read)).not.toContain('\\n');
  });
});

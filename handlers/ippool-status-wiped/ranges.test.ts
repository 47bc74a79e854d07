import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAddresses, type Ranges, rangesOf, type Spec } from './ranges.ts';

const spec = (subnet: string, more: Partial<Spec> = {}): Spec => ({
  subnet,
  gateway: undefined,
  rangeStart: undefined,
  rangeEnd: undefined,
  ...more,
});

function read(...specs: Spec[]): Ranges {
  const ranges = rangesOf(specs);
  if (typeof ranges === 'string') throw new Error(ranges);
  return ranges;
}

describe('the ranges of a pool', () => {
  // The table of load-balancer-harvester pkg/ipam/allocator_test.go.
  it.each([
    [253, '192.168.100.0/24', {}],
    [10, '192.168.100.0/24', { rangeStart: '192.168.100.1', rangeEnd: '192.168.100.10', gateway: '192.168.100.11' }],
    [9, '192.168.100.0/24', { rangeStart: '192.168.100.1', rangeEnd: '192.168.100.10' }],
    [4, '192.168.100.0/24', { rangeStart: '192.168.100.251' }],
    [9, '192.168.100.0/24', { rangeEnd: '192.168.100.10' }],
    [1, '192.168.100.10/32', {}],
    [11, '192.168.5.0/24', { rangeStart: '192.168.5.10', rangeEnd: '192.168.5.20', gateway: '192.168.5.1' }],
    [11, '192.168.5.0/24', { rangeStart: '192.168.5.20', rangeEnd: '192.168.5.10', gateway: '192.168.5.1' }],
    [29, '10.84.103.192/27', {}],
  ])('hold %i addresses: %s %j', (total, subnet, more) => {
    expect(read(spec(subnet, more)).total).toBe(total);
  });

  it('add up', () => {
    expect(read(spec('10.0.0.0/30'), spec('192.168.100.10/32')).total).toBe(2);
  });

  it.each([
    ['a start at the network address', { rangeStart: '192.168.100.0' }, 'network address'],
    ['an end at the broadcast address', { rangeEnd: '192.168.100.255' }, 'broadcast address'],
    ['an address of another subnet', { rangeStart: '192.168.101.7' }, 'not in 192.168.100.0/24'],
    ['a start that is no address', { rangeStart: 'first' }, 'not in'],
  ])('are refused with %s', (_what, more, because) => {
    expect(rangesOf([spec('192.168.100.0/24', more)])).toContain(because);
  });

  it.each(['', 'pool', '192.168.100.0', '192.168.300.0/24', '192.168.1.0/99'])(
    'are refused for the subnet "%s"',
    (text) => {
      expect(rangesOf([spec(text)])).toContain('not a subnet');
    },
  );

  it('are refused where they cannot be counted', () => {
    expect(rangesOf([spec('2001:db8::/32')])).toContain('too many');
  });

  it('never hold the gateway, the network or the broadcast address', () => {
    const { holds } = read(spec('192.168.100.0/24'));

    expect(['192.168.100.0', '192.168.100.1', '192.168.100.255', '::c0a8:6402', 'x'].filter(holds)).toEqual([]);
    expect(holds('192.168.100.2')).toBe(true);
  });

  const octet = fc.integer({ min: 0, max: 255 });
  const subnets = fc
    .tuple(octet, octet, octet, octet, fc.integer({ min: 20, max: 32 }))
    .map(([a, b, c, d, bits]) => spec(`${a}.${b}.${c}.${d}/${bits}`));

  it('hold exactly as many addresses as they list, each once', () => {
    fc.assert(
      fc.property(subnets, (one) => {
        const ranges = rangesOf([one]);
        if (typeof ranges === 'string') return;
        const all = [...ranges.each()];
        expect(all).toHaveLength(ranges.total);
        expect(new Set(all).size).toBe(ranges.total);
        expect(all.every(ranges.holds)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('never throw, whatever is written in them', () => {
    const text = fc.oneof(
      fc.string(),
      fc.ipV4(),
      fc.ipV6(),
      fc.tuple(fc.ipV4(), fc.nat(40)).map(([ip, bits]) => `${ip}/${bits}`),
    );
    fc.assert(
      fc.property(text, text, text, text, (subnet, gateway, rangeStart, rangeEnd) => {
        const ranges = rangesOf([{ subnet, gateway, rangeStart, rangeEnd }]);
        if (typeof ranges !== 'string') expect(ranges.total).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('the order of addresses', () => {
  it('is that of their numbers, IPv4 first, and what is no address last', () => {
    const addresses = ['b', '2001:db8::1', '10.0.0.10', '10.0.0.9', 'a'];

    expect(addresses.toSorted(compareAddresses)).toEqual(['10.0.0.9', '10.0.0.10', '2001:db8::1', 'a', 'b']);
  });
});

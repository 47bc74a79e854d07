import { Address4, Address6 } from 'ip-address';
import type { IPPool } from './kinds.ts';

/** One range of a pool, inclusive, as numbers; the gateway is never handed out. */
interface Range {
  readonly v4: boolean;
  readonly start: bigint;
  readonly end: bigint;
  readonly gateway: bigint | undefined;
}

/** The addresses that a pool may hand out. */
export interface Ranges {
  /** How many: what the controller writes as `status.total`. */
  readonly total: number;
  /** Whether the address is one of them. */
  holds(ip: string): boolean;
  /** The addresses in the order in which the allocator tries them. */
  each(): Generator<string>;
}

export type Spec = IPPool['spec']['ranges'][number];

/**
 * Reads the ranges as the allocator does (load-balancer-harvester pkg/ipam/allocator.go, MakeRange and countIP): start
 * and end default to the first and last host, the gateway to the first host, a /32 is its one address. The answer is
 * a sentence where the allocator refuses them, too.
 */
export function rangesOf(specs: readonly Spec[]): Ranges | string {
  const ranges: Range[] = [];
  for (const spec of specs) {
    const range = rangeOf(spec);
    if (typeof range === 'string') return range;
    ranges.push(range);
  }
  const total = ranges.reduce((sum, range) => sum + sizeOf(range), 0n);
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) return `the ranges hold ${total} addresses, too many to count exactly`;
  return {
    total: Number(total),
    holds: (ip) => {
      const number = numberOf(ip);
      return number !== undefined && ranges.some((range) => isFree(range, number));
    },
    *each() {
      for (const range of ranges) {
        for (let value = range.start; value <= range.end; value++) {
          if (value !== range.gateway) yield textOf(value, range.v4);
        }
      }
    },
  };
}

/** Orders addresses as numbers, IPv4 first; what is none comes last, by its text. */
export function compareAddresses(a: string, b: string): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  const rank = (parsed: Parsed | undefined) => (parsed === undefined ? 2 : Number(!parsed.v4));
  const ranks = rank(x) - rank(y);
  if (ranks !== 0) return ranks;
  if (!x || !y) return a < b ? -1 : Number(a > b);
  return x.value < y.value ? -1 : Number(x.value > y.value);
}

interface Parsed {
  readonly v4: boolean;
  readonly value: bigint;
}

function numberOf(ip: string): Parsed | undefined {
  if (ip.includes('/')) return undefined;
  if (Address4.isValid(ip)) return { v4: true, value: new Address4(ip).bigInt() };
  if (Address6.isValid(ip)) return { v4: false, value: new Address6(ip).bigInt() };
  return undefined;
}

const textOf = (value: bigint, v4: boolean) =>
  (v4 ? Address4.fromBigInt(value) : Address6.fromBigInt(value)).correctForm();

const isInside = ({ start, end }: Range, value: bigint) => start <= value && value <= end;

const isFree = (range: Range, { v4, value }: Parsed) =>
  v4 === range.v4 && isInside(range, value) && value !== range.gateway;

const sizeOf = (range: Range) =>
  range.end - range.start + 1n - (range.gateway !== undefined && isInside(range, range.gateway) ? 1n : 0n);

function rangeOf({ subnet, gateway, rangeStart, rangeEnd }: Spec): Range | string {
  const net = subnetOf(subnet);
  if (!net) return `${subnet} is not a subnet`;
  const { v4, first, last } = net;
  if (first === last) return { v4, start: first, end: last, gateway: undefined };
  const inside = (name: string, ip: string): bigint | string => {
    const parsed = numberOf(ip);
    if (parsed?.v4 !== v4 || parsed.value < first || parsed.value > last) return `${name} ${ip} is not in ${subnet}`;
    if (parsed.value === first) return `${name} ${ip} is the network address of ${subnet}`;
    if (v4 && parsed.value === last) return `${name} ${ip} is the broadcast address of ${subnet}`;
    return parsed.value;
  };
  const start = rangeStart ? inside('rangeStart', rangeStart) : first + 1n;
  const end = rangeEnd ? inside('rangeEnd', rangeEnd) : v4 ? last - 1n : last;
  if (typeof start === 'string') return start;
  if (typeof end === 'string') return end;
  const [low, high] = start <= end ? [start, end] : [end, start];
  return { v4, start: low, end: high, gateway: gateway ? numberOf(gateway)?.value : first + 1n };
}

function subnetOf(subnet: string): { v4: boolean; first: bigint; last: bigint } | undefined {
  if (!subnet.includes('/')) return undefined;
  const v4 = Address4.isValid(subnet);
  if (!v4 && !Address6.isValid(subnet)) return undefined;
  const net = v4 ? new Address4(subnet) : new Address6(subnet);
  return { v4, first: net.startAddress().bigInt(), last: net.endAddress().bigInt() };
}

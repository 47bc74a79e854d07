import type { Warning } from '../../ports/source.ts';

/** The most warnings that are kept: a cluster that refuses everything says little that is new after these. */
const KEPT = 200;

/** Keeps what could not be read, and passes each on once. */
export function notices(pass: (because: string) => void = () => {}) {
  const kept = new Map<string, Warning>();
  return {
    all: (): readonly Warning[] => [...kept.values()],
    warn(warning: Warning): void {
      const text = `${warning.where}: ${warning.because}`;
      if (kept.has(text)) return;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(text, warning);
      pass(text);
    },
  };
}

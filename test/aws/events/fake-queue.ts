import { createHash, randomUUID } from 'node:crypto';

/** An attribute of a message, as the SDK sends it. */
interface Attribute {
  readonly DataType: string;
  readonly StringValue?: string | undefined;
}

export interface QueueSettings {
  readonly name: string;
  /** Seconds that a delivery is hidden. */
  readonly visibility: number;
  /** After so many deliveries a message goes to the dead letters. */
  readonly maxReceives?: number;
  readonly deadLetters?: FakeQueue;
}

interface Kept {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  visibleAt: number;
  receives: number;
  receipt: string;
}

/** A delivery, as ReceiveMessage answers it. */
export interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes: Readonly<Record<string, Attribute>>;
}

export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** A standard queue of SQS: at least once, in any order. `chance` makes it use both freedoms. */
export class FakeQueue {
  readonly settings: QueueSettings;
  readonly #now: () => number;
  readonly #chance: (() => number) | undefined;
  #kept: Kept[] = [];

  constructor(settings: QueueSettings, now: () => number, chance?: () => number) {
    this.settings = settings;
    this.#now = now;
    this.#chance = chance;
  }

  send(body: string, delay = 0, attributes: Kept['attributes'] = {}): string {
    const id = randomUUID();
    const visibleAt = this.#now() + delay * 1000;
    this.#kept.push({ id, body, attributes, visibleAt, receives: 0, receipt: '' });
    return id;
  }

  receive(most: number): Received[] {
    const now = this.#now();
    this.#redrive(now);
    const visible = this.#kept.filter(({ visibleAt }) => visibleAt <= now);
    return this.#shuffled(visible)
      .slice(0, most)
      .map((kept) => {
        kept.receives += 1;
        kept.visibleAt = now + this.settings.visibility * 1000;
        kept.receipt = randomUUID();
        return received(kept);
      });
  }

  /** Whether the receipt is the newest of its message; an older one deletes nothing. */
  delete(receipt: string): boolean {
    const kept = this.#kept.find((one) => one.receipt === receipt);
    if (!kept) return false;
    // SQS: "it is possible to receive a message even after you delete it".
    if (this.#chance && this.#chance() < 0.05) kept.visibleAt = this.#now();
    else this.#kept = this.#kept.filter((one) => one !== kept);
    return true;
  }

  changeVisibility(receipt: string, seconds: number): boolean {
    const kept = this.#kept.find((one) => one.receipt === receipt);
    if (kept) kept.visibleAt = this.#now() + seconds * 1000;
    return kept !== undefined;
  }

  /** All messages, hidden ones too. */
  peek(): readonly Pick<Kept, 'id' | 'body' | 'attributes' | 'visibleAt' | 'receives'>[] {
    return this.#kept;
  }

  #redrive(now: number): void {
    const { maxReceives, deadLetters } = this.settings;
    if (maxReceives === undefined || !deadLetters) return;
    const dead = this.#kept.filter(({ visibleAt, receives }) => visibleAt <= now && receives >= maxReceives);
    for (const { body, attributes } of dead) deadLetters.send(body, 0, attributes);
    this.#kept = this.#kept.filter((one) => !dead.includes(one));
  }

  #shuffled<T>(items: readonly T[]): readonly T[] {
    const chance = this.#chance;
    return chance
      ? items
          .map((item) => ({ item, at: chance() }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item)
      : items;
  }
}

const received = ({ id, receipt, body, receives, attributes }: Kept): Received => ({
  ...{ MessageId: id, ReceiptHandle: receipt, Body: body, MD5OfBody: md5(body) },
  Attributes: { ApproximateReceiveCount: `${receives}` },
  MessageAttributes: attributes,
});

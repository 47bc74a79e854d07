import { describe, expect, it } from 'vitest';
import { watcherSettings } from './settings.ts';

const LEAST = {
  ...{ GLEANER_CLUSTER: 'one', POD_NAME: 'p', POD_NAMESPACE: 'gleaner', KUBERNETES_SERVICE_HOST: '10.0.0.1' },
  ...{ GLEANER_INGEST_URL: 'https://x/v1/observations', GLEANER_INGEST_KEYS: '/etc/gleaner/keys' },
};

describe("A watcher's variables", () => {
  it('say where it is, whom it follows and where to send to', () => {
    expect(watcherSettings({ ...LEAST, GLEANER_BUS: '' })).toEqual({
      ...{ name: 'one', pod: 'p', level: 'info', serve: { host: '0.0.0.0', port: 8080 } },
      target: { is: 'ingest', url: 'https://x/v1/observations', keys: '/etc/gleaner/keys' },
      lease: { namespace: 'gleaner', name: 'gleaner-watcher' },
      access: { host: '10.0.0.1', port: '443' },
    });
    const { GLEANER_INGEST_URL: _url, GLEANER_INGEST_KEYS: _keys, ...rest } = LEAST;
    expect(watcherSettings({ ...rest, GLEANER_BUS: 'b' }).target).toEqual({ is: 'eventbridge', bus: 'b' });
  });

  it('that are wrong are all named at once', () => {
    const wrong = { ...LEAST, POD_NAME: undefined, GLEANER_PORT: 'x', GLEANER_LOG_LEVEL: 'loud' };

    expect(() => watcherSettings(wrong)).toThrow(/POD_NAME[\s\S]*GLEANER_PORT|GLEANER_PORT[\s\S]*POD_NAME/);
    expect(() => watcherSettings({ ...LEAST, GLEANER_BUS: 'b' })).toThrow(/GLEANER_BUS: there is an ingest too/);
    expect(() => watcherSettings({ ...LEAST, GLEANER_INGEST_URL: '' })).toThrow(/say where to send to/);
    expect(() => watcherSettings({ ...LEAST, GLEANER_INGEST_KEYS: '' })).toThrow(/needs the file/);
    expect(() => watcherSettings({ ...LEAST, KUBERNETES_SERVICE_HOST: undefined })).toThrow(/no pod/);
  });
});

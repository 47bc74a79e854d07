import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSign } from './log.ts';

const denied = (reason: string) =>
  `time="2025-05-30T08:26:31Z" level=fatal msg="failed to create harvester server: admission webhook \\"validator.harvesterhci.io\\" denied the request: ${reason}"`;
const STOP_VMS = denied('Please stop all VMs before configuring the storage-network setting');
const WAIT = 'level=info msg="Waiting for ValidatingWebhookConfiguration harvester-validator..."';
const STORAGE = 'storage-network-setting-vs-running-vm';

const read = (...lines: string[]) => {
  const sign = readSign([lines]);
  return sign && `${sign.class} ${sign.cause}`;
};

describe('the reason why a start of Harvester ended', () => {
  it.each([
    [STOP_VMS, `machines ${STORAGE}`],
    [STOP_VMS.replaceAll('\\"', '"'), `machines ${STORAGE}`],
    [denied('please stop all workloads before configuring the storage-network setting'), `volumes ${STORAGE}`],
    [denied('please stop vcluster before configuring the storage-network setting'), `vcluster ${STORAGE}`],
    [denied('failed to decode the certificate'), 'setting-denied ssl-certificates-setting'],
    [denied('noProxy should contain the nodes'), 'setting-denied unknown'],
    ['no endpoints available for service \\"harvester-webhook\\"', 'webhook-silent webhook-no-endpoints-at-boot'],
    [
      'failed calling webhook "validator.harvesterhci.io": Post "https://127.0.0.1:9345": connection refused',
      'webhook-silent webhook-no-endpoints-at-boot',
    ],
    ['x509: certificate signed by unknown authority', 'webhook-untrusted unknown'],
    [WAIT, 'webhook-unregistered webhook-config-never-created'],
    ['Waiting for server to become available: ', 'api-unreachable unknown'],
    ['panic: runtime error: integer divide by zero', 'panic unknown'],
    ['fatal error: concurrent map writes', 'panic panic-indexer-race'],
    ['level=fatal msg="something new"', 'crash unknown'],
  ])('%s', (line, wanted) => {
    expect(read(line)).toBe(wanted);
  });

  it('names the VM that has both run fields', () => {
    const line = denied(
      'error getting run strategy for vm x in namespace y: running and runstrategy are mutually exclusive',
    );

    expect(readSign([[line]])).toMatchObject({ class: 'strategy-conflict', names: 'y/x' });
  });

  it('is not a denial that a user was given while the server ran', () => {
    expect(
      read(STOP_VMS.replace('level=fatal msg="failed to create harvester server: ', 'level=error msg="')),
    ).toBeUndefined();
  });

  it('is not a panic that the HTTP server caught', () => {
    expect(
      read('2024/11/24 20:32:12 http: panic serving pipe: runtime error: nil pointer dereference'),
    ).toBeUndefined();
  });

  it('is the end of the run and not what it waited for before', () => {
    expect(read(WAIT, WAIT, STOP_VMS)).toBe(`machines ${STORAGE}`);
    expect(read(WAIT, 'level=fatal msg="something new"')).toBe('crash unknown');
    expect(read(WAIT, 'level=fatal msg="timed out waiting for the condition"')).toMatch(/^webhook-unregistered/);
  });

  it('is told by the later run where two tell one, and by the earlier where the later has only begun', () => {
    const volumes = denied('please stop all workloads before configuring the storage-network setting');

    expect(readSign([[STOP_VMS], [volumes]])?.class).toBe('volumes');
    expect(readSign([[STOP_VMS], [WAIT]])?.class).toBe('machines');
    expect(readSign([undefined, [STOP_VMS]])?.class).toBe('machines');
  });

  it('is judged by the stack behind a panic, and not by what was logged before it', () => {
    expect(read('level=info msg="starting the backup controller of pkg/controller/master/backup"', 'panic: boom')).toBe(
      'panic unknown',
    );
    expect(read('panic: boom', 'pkg/controller/master/backup.(*Handler).OnChange(0x1)')).toBe(
      'panic panic-vm-backup-nil',
    );
  });

  it('is undefined without logs', () => {
    expect(readSign([])).toBeUndefined();
    expect(readSign([undefined, []])).toBeUndefined();
  });

  it('is found below any other lines, and noise gives none of the known causes', () => {
    const noise = fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 30 });
    fc.assert(
      fc.property(noise, noise, (before, after) => {
        expect(readSign([[...before, STOP_VMS, ...after]])?.class).toBe('machines');
        expect(readSign([before])).toBeUndefined();
      }),
      { seed: 8407, verbose: true },
    );
  });
});

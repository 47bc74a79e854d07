import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checked } from './kubeconfig.ts';

const text = ({ cluster = {}, user = {} }: { cluster?: object; user?: object }) =>
  stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'barn' },
    clusters: [{ name: 'barn', cluster: { server: 'https://10.0.0.11:6443', ...cluster } }],
    users: [{ name: 'gleaner', user: { token: 's3cr3t', ...user } }],
    contexts: [{ name: 'barn', context: { cluster: 'barn', user: 'gleaner' } }],
  });

describe('A kubeconfig from a parameter', () => {
  it('is taken as it is where it holds everything itself', () => {
    const whole = text({ cluster: { 'certificate-authority-data': 'Q0E=' } });

    expect(checked(whole, 'barn')).toBe(whole);
  });

  it.each([
    ['a program that gives tokens', { user: { exec: { command: 'aws' } } }, 'exec'],
    ['a cloud login', { user: { 'auth-provider': { name: 'oidc' } } }, 'auth-provider'],
    ['a file with a token', { user: { tokenFile: '/var/run/token' } }, 'tokenFile'],
    ['a file with a key', { user: { 'client-key': '/root/key.pem' } }, 'client-key'],
    ['a name and a password', { user: { username: 'ada', password: 'pa55' } }, 'username'],
    ['a file with a certificate', { cluster: { 'certificate-authority': '/etc/ca.pem' } }, 'certificate-authority'],
    ['a certificate that nobody checks', { cluster: { 'insecure-skip-tls-verify': true } }, 'insecure-skip-tls-verify'],
    ['a proxy', { cluster: { 'proxy-url': 'socks5://10.0.0.1' } }, 'proxy-url'],
    ['an address of another kind', { cluster: { server: 'file:///etc/passwd' } }, 'server'],
  ])('is refused because of %s, by the name of the key and none of its values', (_what, change, key) => {
    const refused = () => checked(text(change), 'barn');

    expect(refused).toThrow(new RegExp(`kubeconfig of barn .*${key}`));
    expect(refused).not.toThrow(/s3cr3t|pa55|10\.0\.0\.1\b/);
  });

  it.each([
    ['', 'nothing'],
    ['{', 'half of something'],
    ['just text', 'a text'],
    ['- a\n- b', 'a list'],
  ])('is refused where it is %j: %s', (broken) => {
    expect(() => checked(broken, 'barn')).toThrow(/kubeconfig of barn/);
  });
});

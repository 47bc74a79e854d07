import type { OnNode, Vip } from './finding.ts';

/** What a person is asked to do on a host, and what to paste there. */
export interface Advice {
  readonly what: string;
  readonly command?: string;
}

/** fact: the host triage that support asks for; never on two nodes at once. */
const TRIAGE =
  'systemctl status rke2-server rke2-agent rancher-system-agent --no-pager; journalctl -u rke2-server -u rke2-agent -n 200 --no-pager; crictl ps -a | head; df -h / /var/lib/rancher /var/lib/harvester/defaultdisk; free -m; ip -br a';

const ORDER =
  'Generate a support bundle before you change anything. Restart rancher-system-agent first, then rke2-server or rke2-agent, and on a control-plane node only while two other members of etcd are healthy. Never run rke2-killall on more than one node; after it, see that the virtual IP is held once.';

/** What to do about a node, by its class and cause. */
export function nodeAdvice({ class: is, cause, node, margin }: OnNode): Advice {
  const caution =
    margin === 'some'
      ? ''
      : ' etcd can lose no further member: do not cordon, reboot or remove any other control-plane node.';
  if (is.startsWith('PRESSURE_')) {
    return {
      what: `Make room on Node ${node.name}: see what fills it (images that nobody uses, old support bundles, images of a failed upgrade). Delete nothing whose owner you do not know.${caution}`,
      command: 'df -h / /var/lib/rancher /var/lib/harvester/defaultdisk; crictl images; free -m; ps aux | wc -l',
    };
  }
  return { what: `${FIRST[cause] ?? 'Ping the host, or open its console.'} ${ORDER}${caution}`, command: TRIAGE };
}

const FIRST: Readonly<Record<string, string>> = {
  'agent-lb-connectivity-lost':
    'On this worker: systemctl restart rke2-agent.service is what helps here (harvester/harvester#6432); look at its journal before.',
  'agent-pinned-to-failed-server':
    'See in /etc/rancher/rancherd and /etc/rancher/rke2/config.yaml.d which server this worker talks to: it should be the virtual IP (harvester/harvester#1521).',
  'node-does-not-rejoin-after-reboot':
    'Open the console of the host: did it boot the new OS, does mgmt-br have its address, were network interfaces renamed (harvester/harvester#9815)?',
  'node-ip-changed':
    'See which address mgmt-br has and which one it should have, and give it the old one back (a fixed lease in DHCP, or the name of the interface).',
  'upgraded-node-not-ready-arm':
    'Collect the journal of rke2-server for harvester/harvester#11634; the fault is upstream, and restarting does not mend it for good.',
};

/** What to do about the virtual IP, where nothing may be touched. */
export function vipAdvice({ fault, holder }: Vip): Advice {
  const pods = 'kubectl -n harvester-system get pods -l app.kubernetes.io/name=kube-vip -o wide';
  switch (fault) {
    case 'service-lost':
      return {
        what: 'Give the Service its address again. Up to v1.8 it is kube-system/ingress-expose. From v1.9 on it is rke2-traefik: set service.type to LoadBalancer in HelmChartConfig kube-system/rke2-traefik (harvester/harvester#11440); the ingress restarts.',
        command:
          'kubectl -n kube-system get svc ingress-expose rke2-traefik -o wide; kubectl -n kube-system get helmchartconfigs.helm.cattle.io rke2-traefik -o yaml',
      };
    case 'address-differs':
      return {
        what: 'DHCP gave the virtual IP another address than the one that the nodes know. Make the lease of its hardware address fixed, so that it gets the old one again (harvester/harvester#6029).',
        command: 'kubectl -n harvester-system get configmap vip -o yaml; kubectl -n kube-system get svc -o wide',
      };
    case 'no-pod':
      return {
        what: 'See why no pod of kube-vip becomes ready.',
        command: `${pods}; kubectl -n harvester-system describe pods -l app.kubernetes.io/name=kube-vip`,
      };
    case 'taken':
      return {
        what: 'See on the hosts what holds port 2112, or which node still has the address although it does not lead; there: ip addr del VIP/32 dev mgmt-br (harvester/harvester#7293, #11465).',
        command: 'ss -lntup | grep 2112; ip -br a; journalctl -k -n 50 --no-pager',
      };
    case 'silent-leader':
    case 'silent-unsure':
      return {
        what: `Try the virtual IP from outside. If it does not answer, delete the pod of kube-vip on Node ${holder ?? 'that leads'}, and only that one (harvester/harvester#11584).`,
        command: `kubectl -n harvester-system get lease plndr-svcs-lock -o yaml; ${pods}`,
      };
    case 'unanswered':
      return {
        what: 'See whether the address is held once (on each control-plane node: ip a), whether another device on the network has it, and whether the ingress behind it runs.',
        command: `ip -br a; ${pods}; kubectl -n kube-system get pods -o wide | grep -E "ingress|traefik"`,
      };
  }
}

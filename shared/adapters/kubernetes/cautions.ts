/** Why addresses of an API server may fail when they are needed most. */
export function cautionsOf(servers: readonly URL[], vip: string | undefined): string[] {
  return servers.flatMap((url) => {
    if (url.pathname.includes('/k8s/clusters/')) {
      return [`${url.href} leads through Rancher, which may be down when this cluster is: add a node's address`];
    }
    if (vip !== undefined && url.hostname.replace(/^\[|\]$/g, '') === vip) {
      return [`${url.href} is the cluster's VIP, which may be down when it is needed: add a node's address`];
    }
    return [];
  });
}

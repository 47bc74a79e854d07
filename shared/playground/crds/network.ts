import type { JsonObject } from '../../handler.ts';
import {
  conditions,
  definition,
  fields,
  flag,
  int32,
  int64,
  ipv4,
  listOf,
  mapOf,
  open,
  text,
  textMap,
  texts,
  time,
  whole,
} from './definition.ts';

/** Load balancers, address pools and networks. Only the pools of VM DHCP have a status subresource. */
export const network: readonly JsonObject[] = [
  definition({
    group: 'loadbalancer.harvesterhci.io',
    kind: 'IPPool',
    plural: 'ippools',
    shortNames: ['pool', 'pools'],
    versions: [
      {
        name: 'v1beta1',
        schema: fields(
          {
            spec: fields(
              {
                description: text,
                ranges: listOf(
                  fields({ subnet: text, gateway: text, rangeStart: text, rangeEnd: text }, { required: ['subnet'] }),
                ),
                selector: fields({
                  network: text,
                  priority: int32,
                  scope: listOf(fields({ guestCluster: text, namespace: text, project: text })),
                }),
              },
              { required: ['ranges'] },
            ),
            status: fields(
              {
                available: int64,
                lastAllocated: text,
                total: int64,
                allocated: textMap,
                allocatedHistory: textMap,
                conditions,
              },
              { required: ['available', 'lastAllocated', 'total'] },
            ),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'loadbalancer.harvesterhci.io',
    kind: 'LoadBalancer',
    plural: 'loadbalancers',
    namespaced: true,
    shortNames: ['lb', 'lbs'],
    versions: [
      {
        name: 'v1alpha1',
        stored: false,
        schema: fields({
          spec: fields({ ipam: { ...text, enum: ['pool', 'dhcp'] } }, { required: ['ipam'], open: true }),
          status: open,
        }),
      },
      {
        name: 'v1beta1',
        schema: fields(
          {
            spec: fields({
              description: text,
              ipam: { ...text, enum: ['pool', 'dhcp'] },
              ipPool: text,
              workloadType: { ...text, enum: ['vm', 'cluster'] },
              listeners: listOf(
                fields(
                  { name: text, backendPort: int32, port: int32, protocol: text },
                  { required: ['backendPort', 'port', 'protocol'] },
                ),
              ),
              backendServerSelector: mapOf(texts),
              healthCheck: fields({
                failureThreshold: whole,
                periodSeconds: whole,
                port: whole,
                successThreshold: whole,
                timeoutSeconds: whole,
              }),
            }),
            status: fields({
              address: text,
              allocatedAddress: fields({ ipPool: text, ip: text, mask: text, gateway: text }),
              backendServers: texts,
              conditions,
            }),
          },
          { required: ['spec'] },
        ),
      },
    ],
  }),
  definition({
    group: 'network.harvesterhci.io',
    kind: 'IPPool',
    plural: 'ippools',
    namespaced: true,
    shortNames: ['ippl', 'ippls'],
    versions: [
      {
        name: 'v1alpha1',
        status: true,
        schema: fields({
          spec: fields(
            {
              networkName: text,
              paused: flag,
              ipv4Config: fields(
                {
                  cidr: text,
                  serverIP: ipv4,
                  pool: fields({ start: ipv4, end: ipv4, exclude: texts }, { required: ['end', 'start'] }),
                },
                { required: ['cidr', 'pool', 'serverIP'], open: true },
              ),
            },
            { required: ['networkName'] },
          ),
          status: fields({
            agentPodRef: open,
            lastUpdate: time,
            ipv4: fields({ allocated: textMap, available: whole, used: whole }, { required: ['available', 'used'] }),
            conditions,
          }),
        }),
      },
    ],
  }),
  definition({
    group: 'k8s.cni.cncf.io',
    kind: 'NetworkAttachmentDefinition',
    plural: 'network-attachment-definitions',
    singular: 'network-attachment-definition',
    namespaced: true,
    shortNames: ['net-attach-def'],
    versions: [{ name: 'v1', schema: fields({ spec: fields({ config: text }) }) }],
  }),
];

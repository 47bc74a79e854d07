/** Incidents whose mode is not recognised, with the reason. One that is recognised by now fails its test: take it out. */
export const modeMisses: ReadonlyMap<string, string> = new Map([]);

/** Incidents whose mode is recognised but not their cause, with the reason. */
export const causeMisses: ReadonlyMap<string, string> = new Map([
  ['harvester-1521', 'two nodes at once are one storm, and neither shows what they have in common'],
  [
    'harvester-6022',
    'that a machine was deleted by hand stands in the answer to a command, and in no object or pod log',
  ],
  ['rancher-48920-baremetal-unset', 'the crash stands in the log of a pod that is not among the objects'],
]);

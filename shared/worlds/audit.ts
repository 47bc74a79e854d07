import { readDatabase } from '../adapters/sqlite/database.ts';
import { auditLines } from '../adapters/sqlite/store.ts';
import { verifyChain } from '../audit.ts';

/** Checks the audit log of a state file, also while a Gleaner runs on it. */
export function verifyAudit(file: string): { ok: boolean; because: string; unusable: boolean } {
  try {
    const sql = readDatabase(file);
    const verified = verifyChain(auditLines(sql));
    sql.close();
    if (!verified.ok)
      return {
        ok: false,
        unusable: false,
        because: `gleaner: the audit log of ${file} was tampered with: ${verified.because}`,
      };
    const because = `${verified.lines} lines, every one follows from the one before it; the last hash is ${verified.head}. Keep that hash elsewhere: only it shows that the newest lines were cut off.`;
    return { ok: true, unusable: false, because };
  } catch (error) {
    return { ok: false, unusable: true, because: `gleaner: ${Object(error).message ?? String(error)}` };
  }
}

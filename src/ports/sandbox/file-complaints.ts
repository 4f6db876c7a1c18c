import { resolve } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import type { HeldCommand, MachineFacts } from './held-command.js'
import { mentionedPaths } from './mentioned-paths.js'
import type { Mount } from './mounts.js'

const READ_ONLY = /read-only file ?system|\bEROFS\b/i
const BUSY = /device or resource busy|resource busy or locked|\bEBUSY\b/i
const OCCUPIED = /is a directory|file exists|\bEISDIR\b|\bEEXIST\b/i
const DENIED = /permission denied|\bEACCES\b/i

/** Refusals of files that the sandbox, and not the machine, is the likely cause of. */
export function fileComplaints(lines: readonly string[], held: HeldCommand, facts: MachineFacts): readonly string[] {
  return lines.flatMap((line) => {
    if (READ_ONLY.test(line)) return readOnlyComplaint(line, held, facts)
    if (BUSY.test(line)) return guardComplaint(line, held, 'read-only')
    if (OCCUPIED.test(line)) return guardComplaint(line, held, 'absent')
    if (DENIED.test(line)) return deniedComplaint(line, held, facts)
    return []
  })
}

function readOnlyComplaint(line: string, held: HeldCommand, facts: MachineFacts): readonly string[] {
  const named = mentionedPaths(line)
  const guarded = guardComplaint(line, held, 'read-only').concat(guardComplaint(line, held, 'absent'))
  if (guarded.length > 0) return guarded.slice(0, 1)
  const refused = named
    .filter((path) => path.startsWith('/'))
    .filter((path) => !held.writable.some((folder) => isPathInside(path, folder)) && facts.canWrite(path))
  if (refused[0] !== undefined) return [notWritable(`a write to ${refused[0]}`, held)]
  // A name without its folder tells nothing about where it lies; the kernel's word must do.
  const isVague = !named.some((path) => path.startsWith('/'))
  return isVague ? [notWritable(named[0] === undefined ? 'a write' : `a write to ${named[0]}`, held)] : []
}

function notWritable(what: string, { confinement, writable }: HeldCommand): string {
  if (confinement === 'read-only')
    return `The sandbox refused ${what}: this command ran where nothing can be written but $TMPDIR.`
  const folders = [...writable, '$TMPDIR'].join(', ')
  return `The sandbox refused ${what}: only ${folders} can be written. sandbox.allowWrite in the settings would add a folder.`
}

/** Protected files, and those that the settings keep from being written. */
function guardComplaint(line: string, held: HeldCommand, kind: Mount['kind']): string[] {
  const guards = held.mounts.filter((mount) => mount.kind === kind)
  const hit = mentionedPaths(line)
    .map((path) => resolve(held.cwd, path))
    .find((path) => guards.some((mount) => isPathInside(path, mount.path)))
  return hit === undefined
    ? []
    : [
        `The sandbox refused a write to ${hit}: files that could run programs later (git configuration and hooks, settings of Haft and of editors, start-up files, credentials) and those in sandbox.denyWrite cannot be changed from inside.`,
      ]
}

function deniedComplaint(line: string, held: HeldCommand, facts: MachineFacts): readonly string[] {
  const paths = mentionedPaths(line).map((path) => resolve(held.cwd, path))
  const hidden = held.mounts.filter(({ kind }) => kind === 'hidden-file' || kind === 'hidden-folder')
  const hit = paths.find((path) => hidden.some((mount) => isPathInside(path, mount.path)))
  if (hit !== undefined) return [`The sandbox hides ${hit}: it is in sandbox.denyRead of the settings.`]
  const needing = paths.find((path) => facts.needsPowers(path))
  return needing === undefined ? [] : [`The sandbox takes root's powers away, and ${needing} belongs to another user.`]
}

import { readFile } from 'node:fs/promises'
import type { McpServerEntry } from '../../../../contract/mcp/server-entry.js'
import { findProjectRoot } from '../../../../settings/files/find-project-root.js'
import { resolveLinks } from '../../../../settings/files/resolve-real-path.js'
import { addServer, findScopesWith } from '../../../../settings/save/server-files.js'
import { isSameJson } from '../../../../shared/is-same-json.js'
import { toPrintable } from '../../../../shared/printable.js'
import { quote } from '../../../../shared/quote.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import type { CommandIo } from '../../../io/command.js'
import { EXIT, UsageError } from '../../../io/exit.js'
import { warn } from '../../../io/warn.js'
import { parseOptions } from '../../../options/parse-options.js'
import { formatTarget, listEntryDetails, maskValue } from '../format-server.js'
import { CLIENT_NAMES, type ClientFile, type ClientName, listClientFiles } from './client-files.js'
import { convertEntry } from './convert-entry.js'

interface Candidate {
  readonly name: string
  readonly title: string
  readonly entry: McpServerEntry
  readonly remarks: readonly string[]
}

interface Roots {
  readonly home: string
  readonly projectRoot: string
}

/** Adds the servers of other clients to the user's settings, after showing them. */
export async function runImport(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, { yes: { type: 'boolean', short: 'y', default: false } })
  const clients = parseClients(positionals)
  const host = await io.host()
  const home = await resolveLinks(host.homeDir)
  const roots = { home, projectRoot: await findProjectRoot({ cwd: host.cwd, home }) }
  const files = listClientFiles({ platform: io.platform, variables: io.variables, ...roots })
  const selectedFiles = files.filter(({ client }) => clients.length === 0 || clients.includes(client))
  const found = await readCandidates(selectedFiles, roots, io)
  if (found === undefined) {
    io.out(`No server lists found. Looked for:\n${selectedFiles.map(({ path }) => `  ${path}\n`).join('')}`)
    return EXIT.done
  }
  const candidates = await selectNew(found, roots, io)
  if (candidates.length === 0) {
    io.out('There is nothing to add.\n')
    return EXIT.done
  }
  io.out(`These servers will be added to your settings:\n${candidates.map(formatCandidate).join('')}`)
  if (!values.yes && !host.isInteractive) {
    warn(io, 'nothing was added. Run it again with --yes to add them.')
    return EXIT.permission
  }
  if (!values.yes) {
    const answer = await host.readLine('Add them? [y/N] ')
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
      io.out('Nothing was added.\n')
      return EXIT.done
    }
  }
  for (const { name, entry } of candidates) {
    const file = await addServer({ scope: 'user', name, entry }, roots)
    io.out(`Added ${name} to ${file}.\n`)
  }
  return EXIT.done
}

function parseClients(names: readonly string[]): readonly ClientName[] {
  return names.map((name) => {
    const client = CLIENT_NAMES.find((candidate) => candidate === name)
    if (client !== undefined) return client
    throw new UsageError(`unknown client ${quote(name)}. Use ${CLIENT_NAMES.join(', ')}.`)
  })
}

/** Reads the entries of all files; undefined if there is no file. Invalid files and entries are reported and skipped. */
async function readCandidates(
  files: readonly ClientFile[],
  roots: Roots,
  io: CommandIo,
): Promise<readonly Candidate[] | undefined> {
  const candidates: Candidate[] = []
  let hasFile = false
  for (const { client, title, path, read } of files) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    hasFile = true
    const entries = await read(text).catch((error: unknown) => {
      warn(io, `${path} cannot be read: ${reasonOf(error).split('\n')[0]}.`)
      return {}
    })
    for (const [name, value] of Object.entries(entries)) {
      try {
        const converted = convertEntry(value, { client, variables: io.variables, ...roots })
        candidates.push({ name: toServerName(name), title, ...converted })
      } catch (error) {
        warn(io, `the server ${quote(name)} of ${title} is skipped: ${reasonOf(error)}.`)
      }
    }
  }
  return hasFile ? candidates : undefined
}

function toServerName(name: string): string {
  return (
    name
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 64) || 'server'
  )
}

/** Drops servers that exist, and equal servers of several clients. Others of the same name get another name. */
async function selectNew(candidates: readonly Candidate[], roots: Roots, io: CommandIo): Promise<readonly Candidate[]> {
  const selected = new Map<string, Candidate>()
  for (const candidate of candidates) {
    if ((await findScopesWith(candidate.name, roots)).length > 0) {
      io.out(`${candidate.name} of ${candidate.title} exists already and is not changed.\n`)
      continue
    }
    const twins = [...selected.values()].filter(({ entry }) => isSameJson(entry, candidate.entry))
    if (twins.length > 0) continue
    let name = candidate.name
    for (let count = 2; selected.has(name); count++) name = `${candidate.name.slice(0, 60)}-${count}`
    selected.set(name, { ...candidate, name })
  }
  return [...selected.values()]
}

function formatCandidate({ name, title, entry, remarks }: Candidate): string {
  const lines = [
    `${name} (${title}): ${formatTarget(entry)}`,
    ...listEntryDetails(entry, maskValue).map(([key, value]) => `  ${key.padEnd(8)}${value}`),
    ...remarks.map((remark) => `  note    ${remark}`),
  ]
  return lines.map((line) => `  ${toPrintable(line)}\n`).join('')
}

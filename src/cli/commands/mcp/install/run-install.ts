import { rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findProjectRoot } from '../../../../settings/files/find-project-root.js'
import { resolveLinks } from '../../../../settings/files/resolve-real-path.js'
import { getMcpFolder } from '../../../../settings/files/settings-files.js'
import { addServer, findScopesWith } from '../../../../settings/save/server-files.js'
import { toPrintable } from '../../../../shared/printable.js'
import { quote } from '../../../../shared/quote.js'
import { reasonOf } from '../../../../shared/reason-of.js'
import { makeFolder } from '../../../../system/make-folder.js'
import type { CommandIo } from '../../../io/command.js'
import { EXIT, ExitError, UsageError } from '../../../io/exit.js'
import { warn } from '../../../io/warn.js'
import { parseOptions } from '../../../options/parse-options.js'
import { formatEntry } from '../format-server.js'
import { extractBundle, readManifestText } from './extract-bundle.js'
import { type BundleEntry, type BundleManifest, createBundleEntry, readManifest } from './read-manifest.js'

/** Installs a bundle (`.mcpb` or `.dxt`): extracts it and adds its server to the user's settings, after showing it. */
export async function runInstall(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    yes: { type: 'boolean', short: 'y', default: false },
    set: { type: 'string', multiple: true, default: [] as string[] },
  })
  const [argument, ...others] = positionals
  if (argument === undefined || others.length > 0)
    throw new UsageError('expected one file: haft mcp install FILE.mcpb.')
  const host = await io.host()
  const file = resolve(host.cwd, argument)
  const home = await resolveLinks(host.homeDir)
  const roots = { home, projectRoot: await findProjectRoot({ cwd: host.cwd, home }) }
  const settings = parseSettings(values.set)
  const refuse = (error: unknown): never => {
    throw new ExitError(EXIT.failed, `cannot install ${argument}: ${reasonOf(error)}.`)
  }
  const manifest = await readManifestText(file).then(readManifest).catch(refuse)
  const name = manifest.name.replace(/[^A-Za-z0-9_-]/g, '-')
  const folder = join(getMcpFolder(home), 'bundles', `${manifest.name}-${manifest.version}`)
  const bundle = await Promise.resolve()
    .then(() => createBundleEntry(manifest, { folder, home, platform: io.platform, settings }))
    .catch(refuse)
  if ((await findScopesWith(name, roots)).length > 0)
    throw new ExitError(EXIT.failed, `a server ${name} exists already. Remove it first: haft mcp remove ${name}.`)
  io.out(formatBundle(name, manifest, bundle))
  if (!values.yes && !host.isInteractive) {
    warn(io, 'nothing was installed. Run it again with --yes to install it.')
    return EXIT.permission
  }
  if (!values.yes && !/^y(es)?$/i.test((await host.readLine('Install it? [y/N] '))?.trim() ?? '')) {
    io.out('Nothing was installed.\n')
    return EXIT.done
  }
  await extractTo(folder, file).catch(refuse)
  const settingsFile = await addServer({ scope: 'user', name, entry: bundle.entry }, roots)
  io.out(`Installed ${name} in ${folder} and added it to ${settingsFile}.\n`)
  for (const variable of bundle.neededVariables) io.out(`Set the variable ${variable} before you use it.\n`)
  return EXIT.done
}

function parseSettings(pairs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, readonly string[]>()
  for (const pair of pairs) {
    const separatorAt = pair.indexOf('=')
    // The value may be a secret, so it is not printed.
    if (separatorAt < 1) throw new UsageError('--set has an invalid value; write --set KEY=VALUE.')
    const key = pair.slice(0, separatorAt)
    settings.set(key, [...(settings.get(key) ?? []), pair.slice(separatorAt + 1)])
  }
  return settings
}

/** Extracts into a new folder, which is removed again if the bundle is invalid. */
async function extractTo(folder: string, file: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) !== undefined)
    throw new Error(`${folder} exists already; delete it first`)
  makeFolder(folder)
  try {
    await extractBundle(file, folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function formatBundle(name: string, manifest: BundleManifest, { entry }: BundleEntry): string {
  const title = `${manifest.display_name ?? manifest.name} ${manifest.version}`
  const description = manifest.description === undefined ? '' : `  ${toPrintable(manifest.description.slice(0, 300))}\n`
  return `${toPrintable(title)}, as server ${quote(name)}, runs a program with your rights:\n${description}  ${formatEntry(entry)}\n`
}

import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import { resolveDirectory } from '../files/resolve-directory.js'
import type { SettingsLayer } from '../read/read-settings.js'
import type { Settings } from '../read/settings-schema.js'

type SandboxLayer = NonNullable<Settings['sandbox']>

/** Merges the sandbox settings of all layers, highest precedence first. */
export function mergeSandbox(layers: readonly SettingsLayer[], home: string): SandboxSettings {
  const enabled = findFirstValue(layers, 'enabled')
  return {
    ...(enabled !== undefined && { enabled }),
    isRequired: findFirstValue(layers, 'required') ?? false,
    allowsUnsandboxed: findFirstValue(layers, 'allowUnsandboxed') ?? true,
    allowsUnixSockets: findFirstValue(layers, 'allowUnixSockets') ?? false,
    allowWrite: collectPaths(layers, 'allowWrite', home),
    denyWrite: collectPaths(layers, 'denyWrite', home),
    allowRead: collectPaths(layers, 'allowRead', home),
    denyRead: collectPaths(layers, 'denyRead', home),
    allowedDomains: [...new Set(layers.flatMap(({ settings }) => settings.sandbox?.allowedDomains ?? []))],
  }
}

/** Returns the sandbox settings that can only make the sandbox stricter. */
export function keepStrictSandbox(sandbox: SandboxLayer): SandboxLayer {
  const { enabled, required, allowUnsandboxed, allowUnixSockets, denyRead, denyWrite } = sandbox
  return {
    ...(enabled === true && { enabled }),
    ...(required === true && { required }),
    ...(allowUnsandboxed === false && { allowUnsandboxed }),
    ...(allowUnixSockets === false && { allowUnixSockets }),
    ...(denyRead && { denyRead }),
    ...(denyWrite && { denyWrite }),
  }
}

function findFirstValue<K extends 'enabled' | 'required' | 'allowUnsandboxed' | 'allowUnixSockets'>(
  layers: readonly SettingsLayer[],
  key: K,
): SandboxLayer[K] {
  return layers.find(({ settings }) => settings.sandbox?.[key] !== undefined)?.settings.sandbox?.[key]
}

function collectPaths(
  layers: readonly SettingsLayer[],
  list: 'allowWrite' | 'denyWrite' | 'allowRead' | 'denyRead',
  home: string,
): readonly string[] {
  const resolvedPaths = layers.flatMap(({ settings, base }) =>
    (settings.sandbox?.[list] ?? []).map((writtenPath) =>
      resolveDirectory(writtenPath.replace(/\/\*\*$/, ''), { base, home }),
    ),
  )
  return [...new Set(resolvedPaths)]
}

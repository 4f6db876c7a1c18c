import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import { resolveDirectory } from '../files/resolve-directory.js'
import type { SettingsLayer } from '../read/read-settings.js'
import type { Settings } from '../read/settings-schema.js'

type SandboxPart = NonNullable<Settings['sandbox']>

/** Merges the sandbox settings of all layers, highest precedence first. */
export function mergeSandbox(layers: readonly SettingsLayer[], home: string): SandboxSettings {
  const enabled = first(layers, 'enabled')
  return {
    ...(enabled !== undefined && { enabled }),
    isRequired: first(layers, 'required') ?? false,
    allowsUnsandboxed: first(layers, 'allowUnsandboxed') ?? true,
    allowsUnixSockets: first(layers, 'allowUnixSockets') ?? false,
    allowWrite: paths(layers, 'allowWrite', home),
    denyWrite: paths(layers, 'denyWrite', home),
    denyRead: paths(layers, 'denyRead', home),
    allowedDomains: [...new Set(layers.flatMap(({ settings }) => settings.sandbox?.allowedDomains ?? []))],
  }
}

/** The sandbox settings that can only make the sandbox stricter. */
export function onlyStrictSandbox(sandbox: SandboxPart): SandboxPart {
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

function first<K extends 'enabled' | 'required' | 'allowUnsandboxed' | 'allowUnixSockets'>(
  layers: readonly SettingsLayer[],
  key: K,
): SandboxPart[K] {
  return layers.find(({ settings }) => settings.sandbox?.[key] !== undefined)?.settings.sandbox?.[key]
}

function paths(
  layers: readonly SettingsLayer[],
  list: 'allowWrite' | 'denyWrite' | 'denyRead',
  home: string,
): readonly string[] {
  const found = layers.flatMap(({ settings, base }) =>
    (settings.sandbox?.[list] ?? []).map((written) => resolveDirectory(written.replace(/\/\*\*$/, ''), { base, home })),
  )
  return [...new Set(found)]
}

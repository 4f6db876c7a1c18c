import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Surroundings } from '../../../session/context/system-prompt.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import { isRecord } from '../../../shared/is-record.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'

interface Place {
  readonly io: Pick<CommandIo, 'platform'>
  readonly host: Pick<CommandHost, 'cwd'>
  readonly settings: Pick<LoadedSettings, 'projectRoot'>
}

interface Now {
  readonly model: string
  readonly isHeadless: boolean
  /** What the session kept, where it is resumed. */
  readonly before: Readonly<Record<string, unknown>> | undefined
}

/** Where the conversation takes place. A session that is resumed keeps its date: its requests go on as they began. */
export function surroundingsOf({ io, host, settings }: Place, { model, isHeadless, before }: Now): Surroundings {
  const { platform } = io
  const isGitRepository = existsSync(join(settings.projectRoot, '.git'))
  const place = { cwd: host.cwd, platform, isGitRepository, model, isHeadless }
  const known = before?.surroundings
  const isSame = isRecord(known) && Object.entries(place).every(([key, value]) => known[key] === value)
  return { ...place, date: isSame && typeof known.date === 'string' ? known.date : today() }
}

function today(): string {
  const now = new Date()
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

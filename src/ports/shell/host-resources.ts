import { Supervisor } from './supervisor.js'
import { Workplace } from './workplace.js'

/** What all commands of this process share. */
export interface HostResources {
  readonly supervisor: Supervisor
  readonly workplace: Workplace
}

let shared: (HostResources & { users: number }) | undefined

/** One supervisor serves the whole process, however many ports there are; each gives it back when it is done. */
export function useHostResources(environment: Readonly<Record<string, string | undefined>>): HostResources {
  shared ??= { supervisor: new Supervisor(environment), workplace: new Workplace(), users: 0 }
  shared.users++
  return shared
}

export async function releaseHostResources(): Promise<void> {
  if (shared === undefined) return
  shared.users--
  if (shared.users > 0) return
  const { supervisor, workplace } = shared
  shared = undefined
  await Promise.all([supervisor.dismiss(), workplace.remove()])
}

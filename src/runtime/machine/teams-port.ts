import { existsSync } from 'node:fs'
import type { TeamsPort } from '../../contract/ports/teams.js'
import type { TeamsOptions } from '../../ports/teams/create-teams.js'
import { OnDemand } from './on-demand.js'

/** The teams of the project. Their code is loaded on first use: a session without teams only looks for their folder once. */
export function createTeamsPort(options: TeamsOptions): TeamsPort {
  const listeners = new Set<() => void>()
  const teams = new OnDemand(async () => {
    const { createTeams } = await import('../../ports/teams/create-teams.js')
    const opened = createTeams(options)
    opened.onMail(() => {
      for (const listener of listeners) listener()
    })
    return opened
  })
  let hasTeams: boolean | undefined
  const openIfTeamsExist = async () => {
    hasTeams ??= existsSync(options.folder)
    return hasTeams || teams.opened !== undefined ? await teams.open() : undefined
  }
  return {
    current: async () => (await openIfTeamsExist())?.current(),
    open: async (agentId) => (await openIfTeamsExist())?.open(agentId),
    create: async (team) => (await teams.open()).create(team),
    addTeammate: async (teammate) => (await teams.open()).addTeammate(teammate),
    send: async (message, agentId) => (await teams.open()).send(message, agentId),
    delete: async (deletion) => (await teams.open()).delete(deletion),
    showRecent: () => teams.opened?.showRecent(),
    get hasMail() {
      return teams.opened?.hasMail === true
    },
    onMail(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => (await teams.getIfRequested())?.close(),
  }
}

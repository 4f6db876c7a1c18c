import { join } from 'node:path'
import { toProjectFolderName } from '../../shared/project-folder-name.js'

/** Returns the folder with the durable tasks of all projects of a user. */
export function getSchedulesRoot(home: string): string {
  return join(home, '.haft', 'schedules')
}

/** Returns the folder with the durable tasks of a project. */
export function toScheduleFolder(home: string, projectRoot: string): string {
  return join(getSchedulesRoot(home), toProjectFolderName(projectRoot))
}

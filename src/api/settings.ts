export { type LoadedSettings, type LoadSettingsOptions, loadSettings } from '../settings/load-settings.js'
export type { PermissionRestrictions } from '../settings/merge/restrict-layers.js'
export { SettingsSaveError } from '../settings/save/change-settings-file.js'
export {
  type SavedUpdates,
  type SaveUpdatesOptions,
  savePermissionUpdates,
} from '../settings/save/save-permission-updates.js'
export { isProjectTrusted, TrustError, trustProject, untrustProject } from '../settings/trust.js'

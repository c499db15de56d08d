import { grafanaDashboard } from '../../main/app/dashboard/grafana.ts';
import { lakeviewDashboard } from '../../main/app/dashboard/lakeview.ts';

/** The text of each file, by its path in the project. */
export function dashboardFiles(): Map<string, string> {
  const text = (dashboard: object) => `${JSON.stringify(dashboard, undefined, 2)}\n`;
  return new Map([
    ['resources/dashboards/causeway-agents.lvdash.json', text(lakeviewDashboard())],
    ['resources/dashboards/causeway-agents.grafana.json', text(grafanaDashboard())],
  ]);
}

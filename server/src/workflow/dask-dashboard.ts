/** Socket in the HOME of a Dask scheduler, on which it serves its dashboard. */
export const DASHBOARD_SOCKET = "dask-dashboard.sock";
/** Socket in the same HOME, on which the scheduler tells the secret of its dashboard. The reply is empty without a dashboard. */
export const DASHBOARD_SECRET_SOCKET = "dask-secret.sock";

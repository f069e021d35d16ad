/** Who may do what: the tables that matrix.test.ts compares with a running gateway. The rows are about the site of `tenant`. */

/**
 * public: what everybody may read. own: an answer about the caller's own site. none: nothing of any site. For the status,
 * details: with the details of the components; paths: with paths of the machine too.
 */
export const OPERATIONS = `
operation                        nobody  other    tenant   partner  admin
POST /v1/plant/telemetry         none    own      own      own      own
GET /v1/forecast                 public  own      own      own      own
GET /v1/decision                 none    own      own      own      own
GET /v1/decision/windows         none    own      own      own      own
POST /v1/decision/windows        none    own      own      own      own
POST /v1/decision/hours-demand   none    own      own      own      own
GET /v1/plant/pv-forecast        none    own      own      own      own
GET /v1/plant/weather            none    own      own      own      own
GET /v1/plant/device-schedules   none    own      own      own      own
GET /v1/plant/devices            none    own      own      own      own
POST /v1/plant/device-overrides  none    own      own      own      own
GET /v1/plant/load               none    own      own      own      own
POST /v1/plant/load              none    own      own      own      own
GET /v1/plant/presence           none    own      own      own      own
POST /v1/plant/presence          none    own      own      own      own
GET /v1/plant/why                none    own      own      own      own
GET /v1/plant/what-if            none    own      own      own      own
POST /v1/plant/what-if           none    own      own      own      own
GET /v1/status                   public  details  details  details  paths
GET /health                      public  public   public   public   public
GET /openapi.json                public  public   public   public   public
GET /                            public  public   public   public   public
GET /metrics                     public  public   public   public   public
POST /mcp                        401     own      own      own      own
`;

/** yes: served. 404: the answer is that there is no such link. 403: the link's scope does not suffice. */
export const LINKS = `
page                               no link  read  telemetry  optimizer  revoked
GET /line                          404      yes   yes        403        404
GET /value/soc                     404      yes   yes        403        404
GET /on/charge_now                 404      yes   yes        403        404
GET /hours                         404      yes   yes        403        404
GET /evcc/grid                     404      yes   yes        403        404
GET /evcc/solar                    404      yes   yes        403        404
GET /flex?hours=2                  404      yes   yes        403        404
POST /flex?hours=2                 404      yes   yes        403        404
GET /flex?slot_id=3                404      403   yes        403        404
POST /flex?slot_id=3               404      403   yes        403        404
GET /telemetry?soc_pct=40          404      403   yes        403        404
POST /telemetry?soc_pct=40         404      403   yes        403        404
GET /evcc/optimize/health          404      403   403        yes        404
POST /evcc/optimize/charge-schedule  404    403   403        yes        404
`;

/** `…` is the topic level of the tenant's site. */
export const PUBLISH = `
topic                                nobody  other  tenant  partner  admin
…/telemetry                          no      no     yes     no       yes
…/telemetry/soc_pct                  no      no     yes     no       yes
…/slots/3/set                        no      no     yes     no       yes
…/slots/3/plugged/set                no      no     yes     no       yes
…/slots/3/telemetry/power_kw         no      no     yes     no       yes
…/slots/3/override/set               no      no     yes     no       yes
…/actuators/car/enabled/set          no      no     yes     no       yes
…/actuators/car/enabled              no      no     no      no       no
…/slots/3/override                   no      no     no      no       no
…/batteries/1/telemetry/soc_pct       no      no     yes     no       yes
…/battery/override/set               no      no     yes     no       yes
…/battery/override                   no      no     no      no       no
…/battery/charge_target_pct/set      no      no     yes     no       yes
…/presence/set                       no      no     yes     no       yes
…/presence/until/set                 no      no     yes     no       yes
…/presence                           no      no     no      no       no
…/battery/charge_target_pct          no      no     no      no       no
…/request/windows                    no      no     yes     no       yes
…/response/windows                   no      no     no      no       no
…/ack                                no      no     no      no       no
…/charge_now                         no      no     no      no       no
…/outputs/O1                         no      no     no      no       no
…/charge/cap_kw                      no      no     no      no       no
…/charge/next_start                  no      no     no      no       no
…/discharge/power_kw                 no      no     no      no       no
…/feed_in/limit_kw                   no      no     no      no       no
…/grid/import_target_kw              no      no     no      no       no
…/price/now_ct_kwh                   no      no     no      no       no
…/savings/today_eur                  no      no     no      no       no
…/home_assistant/plant               no      no     no      no       no
…/pv/today_kwh                       no      no     no      no       no
…/today/cost_eur                     no      no     no      no       no
…/meter/import_kwh                   no      no     no      no       no
…/slots/3/session/energy_kwh         no      no     no      no       no
…/devices/meter/state                no      no     no      no       no
…/devices/meter/readings/soc_pct     no      no     no      no       no
…/slots/3/charge_now                 no      no     no      no       no
hourgate/status                      no      no     no      no       no
homeassistant/device/hourgate_…/config  no   no     no      no       yes
meters/1                             no      no     yes     no       yes
relays/1/set                         no      no     no      no       yes
$SYS/broker/uptime                   no      no     no      no       no
`;

/** A filter counts as subscribed when the broker grants it. */
export const SUBSCRIBE = `
filter                               nobody  other  tenant  partner  admin
hourgate/status                      no      yes    yes     yes      yes
…/#                                  no      no     yes     no       yes
…/charge_now                         no      no     yes     no       yes
…/telemetry/soc_pct                  no      no     yes     no       yes
…/savings/month_eur                  no      no     yes     no       yes
…/ack                                no      no     yes     no       yes
…/response/windows                   no      no     yes     no       yes
hourgate/+/charge_now                no      no     no      no       yes
hourgate/#                           no      no     no      no       yes
homeassistant/#                      no      no     no      no       yes
meters/1                             no      no     no      no       yes
relays/#                             no      no     no      no       yes
#                                    no      no     no      no       yes
$SYS/#                               no      no     no      no       yes
`;

/**
 * Pages of accounts are asked about the tenant's site. yes: shown, done, or refused for what the form contains. sign in:
 * redirected to the sign-in. 403: for administrators only. 404: a site of somebody else, or no token of a mailed link.
 */
export const PAGES = `
page                                 nobody   other  tenant  partner  admin
GET /portal/portal.css               yes      yes    yes     yes      yes
GET /offline                         yes      yes    yes     yes      yes
GET /register                        yes      yes    yes     yes      yes
POST /register                       yes      yes    yes     yes      yes
GET /confirm                         404      404    404     404      404
POST /confirm                        404      404    404     404      404
GET /login                           yes      yes    yes     yes      yes
POST /login                          yes      yes    yes     yes      yes
POST /login/code                     yes      yes    yes     yes      yes
GET /recover                         yes      yes    yes     yes      yes
POST /recover                        yes      yes    yes     yes      yes
GET /reset                           404      404    404     404      404
POST /reset                          404      404    404     404      404
GET /help                            yes      yes    yes     yes      yes
GET /help/mqtt                       yes      yes    yes     yes      yes
GET /dashboard                       sign in  404    yes     404      404
GET /more                            sign in  404    yes     404      404
GET /developers                      sign in  404    yes     404      404
GET /developers/components           sign in  404    yes     404      404
GET /developers/outputs              sign in  404    yes     404      404
GET /dashboard/override              sign in  404    404     404      404
POST /dashboard/override             sign in  404    404     404      404
POST /dashboard/load-without         sign in  404    404     404      404
POST /dashboard/retry                sign in  404    404     404      404
GET /household                       sign in  404    yes     404      404
POST /household                      sign in  404    404     404      404
GET /car                             sign in  404    yes     404      404
GET /car/offer                       sign in  404    404     404      404
POST /car/soc                        sign in  404    404     404      404
POST /car/week                       sign in  404    404     404      404
GET /start                           sign in  404    yes     404      404
POST /start                          sign in  404    yes     404      404
POST /start/soc                      sign in  404    yes     404      404
GET /portal/data                     sign in  404    yes     404      404
GET /portal/events                   sign in  404    yes     404      404
GET /devices                         sign in  404    yes     404      404
GET /portal/devices                  sign in  404    yes     404      404
GET /devices/add                     sign in  404    yes     404      404
POST /devices/add                    sign in  404    yes     404      404
GET /devices/check                   sign in  404    yes     404      404
POST /devices/check                  sign in  404    yes     404      404
GET /devices/sources                 sign in  404    yes     404      404
POST /devices/sources                sign in  404    yes     404      404
GET /devices/find                    sign in  403    403     403      404
POST /devices/find                   sign in  403    403     403      404
POST /devices/find/cancel            sign in  403    403     403      404
POST /devices/find/add               sign in  403    403     403      404
GET /devices/new                     sign in  404    yes     404      404
GET /devices/edit                    sign in  404    yes     404      404
GET /devices/device                  sign in  404    404     404      404
GET /portal/device                   sign in  404    404     404      404
POST /devices/read                   sign in  404    404     404      404
POST /devices/send                   sign in  404    404     404      404
POST /devices/trial                  sign in  404    404     404      404
POST /devices/switch                 sign in  404    404     404      404
POST /devices/remove                 sign in  404    404     404      404
GET /actuators                       sign in  404    yes     404      404
GET /actuators/new                   sign in  404    yes     404      404
GET /actuators/edit                  sign in  404    yes     404      404
GET /actuators/device                sign in  404    yes     404      404
GET /history                         sign in  404    yes     404      404
GET /history/csv                     sign in  404    yes     404      404
GET /meter                           sign in  404    yes     404      404
POST /meter/upload                   sign in  404    yes     404      404
POST /meter/columns                  sign in  404    yes     404      404
POST /meter/import                   sign in  404    yes     404      404
POST /meter/discard                  sign in  404    yes     404      404
POST /meter/remove                   sign in  404    404     404      404
GET /bill                            sign in  404    yes     404      404
GET /portal/bill                     sign in  404    yes     404      404
GET /savings                         sign in  404    yes     404      404
GET /history/money                   sign in  404    yes     404      404
GET /portal/savings                  sign in  404    yes     404      404
GET /compare                         sign in  404    yes     404      404
GET /why                             sign in  404    yes     404      404
GET /what-if                         sign in  404    yes     404      404
POST /what-if                        sign in  404    yes     404      404
POST /what-if/cancel                 sign in  404    yes     404      404
POST /what-if/remove                 sign in  404    yes     404      404
GET /settings/account                sign in  404    yes     404      404
POST /settings/account/sessions/end  sign in  404    yes     404      404
POST /settings/account/totp/start    sign in  404    yes     404      404
POST /settings/account/totp/enable   sign in  404    yes     404      404
POST /settings/account/totp/disable  sign in  404    yes     404      404
POST /settings/account/delete        sign in  404    yes     404      404
GET /settings/notifications          sign in  404    yes     404      404
POST /settings/notifications         sign in  404    yes     404      404
GET /settings/audit                  sign in  404    yes     404      404
GET /settings/ems                    sign in  404    yes     404      404
GET /settings/ems/place              sign in  404    yes     404      404
GET /settings/ems/battery            sign in  404    yes     404      404
GET /settings/ems/pv                 sign in  404    yes     404      404
GET /settings/ems/load               sign in  404    yes     404      404
GET /settings/ems/grid               sign in  404    yes     404      404
GET /settings/ems/tariff             sign in  404    yes     404      404
GET /settings/ems/slots              sign in  404    yes     404      404
GET /settings/ems/telemetry          sign in  404    yes     404      404
POST /settings/ems                   sign in  404    yes     404      404
POST /settings/ems/tariff            sign in  404    yes     404      404
POST /settings/ems/undo              sign in  404    yes     404      404
POST /settings/ems/links             sign in  404    yes     404      404
POST /settings/ems/links/revoke      sign in  404    404     404      404
POST /settings/ems/loxone            sign in  404    yes     404      404
GET /connect                         sign in  404    yes     404      404
GET /connect/home-assistant          sign in  404    yes     404      404
GET /connect/evcc                    sign in  404    yes     404      404
GET /connect/loxone                  sign in  404    yes     404      404
GET /connect/node-red                sign in  404    yes     404      404
GET /connect/iobroker                sign in  404    yes     404      404
GET /connect/openhab                 sign in  404    yes     404      404
GET /connect/shelly                  sign in  404    yes     404      404
GET /connect/victron                 sign in  404    yes     404      404
GET /connect/mqtt                    sign in  404    yes     404      404
GET /connect/http                    sign in  404    yes     404      404
GET /connect/node-red/flow           sign in  404    404     404      404
GET /connect/node-red/palette        sign in  404    yes     404      404
GET /portal/connect                  sign in  404    yes     404      404
POST /connect/keys                   sign in  404    404     404      404
POST /connect/keys/revoke            sign in  404    404     404      404
POST /connect/test                   sign in  404    404     404      404
POST /connect/topics                 sign in  404    404     404      404
POST /connect/links                  sign in  404    yes     404      404
POST /connect/links/revoke           sign in  404    404     404      404
POST /connect/loxone                 sign in  404    yes     404      404
GET /settings/keys                   sign in  404    yes     404      404
POST /settings/keys                  sign in  404    yes     404      404
POST /settings/keys/limit            sign in  404    yes     404      404
GET /settings/plan                   sign in  404    yes     404      404
POST /settings/plan/trial            sign in  404    yes     404      404
POST /settings/plan/cancel           sign in  404    yes     404      404
POST /settings/plan/resume           sign in  404    yes     404      404
POST /settings/plan/password         sign in  404    yes     404      404
GET /settings/webhook                sign in  404    yes     404      404
POST /settings/webhook               sign in  404    yes     404      404
POST /settings/webhook/secret        sign in  404    yes     404      404
POST /settings/webhook/test          sign in  404    yes     404      404
POST /settings/webhook/remove        sign in  404    yes     404      404
GET /settings/sites                  sign in  404    yes     404      404
POST /settings/sites                 sign in  404    yes     404      404
POST /settings/sites/change          sign in  404    yes     404      404
POST /settings/sites/key             sign in  404    yes     404      404
POST /settings/sites/remove          sign in  404    yes     404      404
GET /admin                           sign in  403    403     403      yes
POST /admin/plan                     sign in  403    403     403      yes
POST /admin/invitation               sign in  403    403     403      yes
POST /admin/forecast                 sign in  403    403     403      yes
POST /admin/approvals                sign in  403    403     403      yes
POST /admin/approvals/revoke         sign in  403    403     403      yes
GET /logout                          yes      yes    yes     yes      yes
POST /logout                         yes      yes    yes     yes      yes
`;

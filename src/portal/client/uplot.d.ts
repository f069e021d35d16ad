/** The portal serves uPlot's module from its package under this name. */
export { default } from "uplot";

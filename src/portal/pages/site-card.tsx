import type { Site } from "../../config/site.js";
import type { PortalTexts } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import { boundFields, type FieldErrors, Form, Notice, SubmitButton, TextField } from "../ui/form.js";
import { givenName, siteName } from "../ui/format.js";
import { linkLine } from "../ui/parts.js";
import { namedValues } from "../ui/table.js";

/** Data of the card of a site. */
export interface SiteOnCard {
  site: Site;
  /** Reference of the partner. */
  customerRef: string;
  /** A plant of the configuration file cannot be removed here. */
  isConfigured: boolean;
  /** Prefixes of the active keys. */
  keyPrefixes: readonly string[];
  webhook: "none" | "ok" | "failing";
}

interface SiteCardProps {
  context: SignedInContext;
  card: SiteOnCard;
  typed: FormBody | undefined;
  errors: FieldErrors;
  /** Somebody wants to remove it and is to confirm that. */
  isRemovalAsked: boolean;
}

/** The card of a site: name, key, webhook and a link to its settings. */
export function SiteCardSection({ context, card, typed, errors, isRemovalAsked }: SiteCardProps) {
  const { sites: texts } = context.texts;
  const { site, keyPrefixes, webhook } = card;
  const own = { ...context, site };
  const name = siteName(site);
  const query = `?${new URLSearchParams({ site: site.id })}`;
  const isAlone = isOnlyHome(context);
  const form = (
    <Form context={own} action="/settings/sites/change" label={name}>
      <SiteFields
        {...{ texts, typed, errors }}
        held={{ label: givenName(site), ...(!isAlone && { customerRef: card.customerRef }) }}
        scope={site.id}
      />
      <SubmitButton>{texts.save}</SubmitButton>
    </Form>
  );
  if (isAlone)
    return (
      <section class="card narrow" aria-label={name}>
        {form}
      </section>
    );
  return (
    <section class="card" aria-labelledby={`site-${site.id}`}>
      <h2 id={`site-${site.id}`}>{name}</h2>
      <div class="columns">
        {form}
        <div>
          {namedValues([
            [texts.id, <code>{site.id}</code>],
            [
              texts.keyPrefix,
              keyPrefixes.length === 0 ? (
                texts.noKey
              ) : (
                <code>{keyPrefixes.map((one) => `${one}…`).join(" ")}</code>
              ),
            ],
            [
              texts.webhook,
              <a
                href={`/settings/webhook${query}`}
                class={webhook === "failing" ? "state failing" : undefined}
              >
                {texts.webhookState[webhook]}
              </a>,
            ],
          ])}
          <p class="actions">
            <a href={`/dashboard${query}`}>{texts.links.dashboard}</a>
            <a href={`/settings/ems${query}`}>{texts.links.ems}</a>
            <a href={`/settings/keys${query}`}>{texts.links.keys}</a>
          </p>
          <Form context={own} action="/settings/sites/key" label={texts.newKey}>
            <p class="hint">{texts.newKeyNote}</p>
            <SubmitButton kind="plain">{texts.newKey}</SubmitButton>
          </Form>
        </div>
      </div>
      {removal(own, card, name, isRemovalAsked)}
    </section>
  );
}

/** An owner alone with one home needs its name only; keys and webhook are among the pages for developers. */
export function isOnlyHome({ isShared, sites, query }: SignedInContext): boolean {
  return !isShared && sites.length === 1 && !query.has("all") && !query.has("remove");
}

interface SiteFieldsProps {
  texts: PortalTexts["sites"];
  /** Without a reference its field is left out. */
  held: { label: string; customerRef?: string };
  typed: FormBody | undefined;
  errors: FieldErrors;
  scope?: string;
}

/** Fields for name and reference of a site. */
export function SiteFields({ texts, held, typed, errors, scope }: SiteFieldsProps) {
  const field = boundFields(errors, typed);
  return (
    <>
      <TextField {...field("label", held.label)} label={texts.label} autocomplete="off" scope={scope} />
      {held.customerRef !== undefined && (
        <TextField
          {...field("customer_ref", held.customerRef)}
          label={texts.customerRef}
          hint={texts.customerRefHint}
          autocomplete="off"
          scope={scope}
        />
      )}
    </>
  );
}

/** Removing takes two steps: a link and the form that it opens. */
function removal(
  context: SignedInContext,
  { site, isConfigured }: SiteOnCard,
  name: string,
  isAsked: boolean,
) {
  const { sites: texts } = context.texts;
  if (isConfigured) return <p class="hint">{texts.configured}</p>;
  if (!isAsked) {
    return linkLine(`/settings/sites?${new URLSearchParams({ remove: site.id })}`, texts.remove);
  }
  return (
    <Notice kind="warning">
      <p>
        <strong>{texts.removeTitle(name)}</strong>
      </p>
      <p>{texts.removeNote}</p>
      <Form context={context} action="/settings/sites/remove" class="actions">
        <SubmitButton kind="danger">{texts.removeConfirm}</SubmitButton>
        <a href="/settings/sites">{texts.keep}</a>
      </Form>
    </Notice>
  );
}

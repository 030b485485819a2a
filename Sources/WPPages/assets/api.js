// The API. A request that is superseded is given up; one that fails says why.

const root = "api/v2/";
let cluster;

/** What the API refused, with its status; 0 when no answer came. */
export class Failure extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

async function get(path, signal) {
    const limit = AbortSignal.timeout(10_000);
    let response;
    try {
        response = await fetch(root + path, {
            signal: signal ? AbortSignal.any([signal, limit]) : limit, headers: { Accept: "application/json" }, redirect: "error",
        });
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new Failure(0, limit.aborted ? "10 s" : "no connection");
    }
    if (!response.ok) {
        const told = await response.json().catch(() => ({}));
        throw new Failure(response.status, told.error ?? `HTTP ${response.status}`);
    }
    return response.json();
}

async function base(signal) {
    cluster ??= (await get("clusters", signal)).clusters[0]?.id ?? "default";
    return `clusters/${encodeURIComponent(cluster)}/`;
}

const query = (values) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== null);
    return given.length ? `?${new URLSearchParams(given)}` : "";
};

/** The path of a subject: a UPS by its site and id, a node by its name. */
const place = ({ kind, name }) => `${kind === "ups" ? "ups" : "node-metrics"}/${encodeURIComponent(name)}`;

/** All UPSes and all nodes, as they are now. */
export async function fleet(signal) {
    const at = await base(signal);
    const [ups, nodes] = await Promise.all([get(`${at}ups`, signal), get(`${at}node-metrics`, signal)]);
    return { ups, nodes };
}

const range = (subject, { from, to, step }) => query({
    from: Math.floor(from / 1000), to: Math.ceil(to / 1000), step, site: subject.site,
});

/** The history of a subject; times are milliseconds since 1970. */
export async function history(subject, span, signal) {
    return get(`${await base(signal)}${place(subject)}/history${range(subject, span)}`, signal);
}

/** Where a history is to be had as CSV. */
export const historyFile = (subject, span) =>
    `${root}clusters/${encodeURIComponent(cluster)}/${place(subject)}/history${range(subject, span)}&format=csv`;

/** The energy of a UPS by day. */
export async function energy(subject, { from, to }, isUTC, signal) {
    const parameters = query({
        from: Math.floor(from / 1000), to: Math.ceil(to / 1000), period: "day", zone: isUTC ? "utc" : "local", site: subject.site,
    });
    return get(`${await base(signal)}${place(subject)}/energy${parameters}`, signal);
}

/** The version of the page that the server has; nil when it can't be asked. */
export async function version() {
    try {
        const response = await fetch("./", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(5000) });
        return response.ok ? response.headers.get("X-Page-Version") : null;
    } catch {
        return null;
    }
}

// SPDX-License-Identifier: MIT
// The bodies of a run in three.js, in space and in the plane. Poses come from
// the run as doubles; only drawing is in single precision.
import * as three from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";
import {Crowd, crowdsOf} from "./crowd.js";
import {Marching} from "./marching.js";
import {flatGeometry, linesOf, outlineOf, polytopeGeometry} from "./shapes.js";

const TINTS = [0x4f8fd0, 0xe08a3c, 0x5aa469, 0xb5709b, 0xc9a227, 0x6b7fd7, 0x4aa7a7, 0xc4695a];
const RED = 0xd50000, PICKED = 0xffeb3b;

export class Scene {
    constructor(canvas, names, run, motions) {
        this.canvas = canvas;
        this.names = names;
        this.run = run;
        this.motions = motions;
        this.flat = run.dim === 2;
        this.show = {normals: false, impulses: true, names: false, trails: false, marching: false, axes: false};
        this.scale = 1;
        this.renderer = new three.WebGLRenderer({canvas, antialias: true});
        this.scene = new three.Scene();
        this.surfaces = new Map((run.surfaces || []).map(s => [s.body, s]));
        this.measure();
        this.light();
        this.crowds = [];
        this.bodies = [];
        for (const list of crowdsOf(run, this.surfaces)) this.crowd(list);
        run.bodies.forEach((body, i) => { this.bodies[i] ||= this.body(body, i); });
        this.marchings(run);
        this.joints = run.joints.map(joint => this.joint(joint));
        this.arrows = new three.Group();
        this.arrows.renderOrder = 1;
        this.scene.add(this.arrows);
        this.trails = null;
        this.view();
    }
    // How far the bodies go: of bodies with bounds, at 60 times.
    measure() {
        const lo = [Infinity, Infinity, Infinity], hi = lo.map(x => -x);
        const pose = new Float64Array(7);
        this.run.bodies.forEach((body, i) => {
            if (body.radius === null) return;
            const surface = this.surfaces.get(i), width = this.run.dim;
            let radius = body.radius;
            for (let c = 0; surface && c < surface.corners.length; c += width)
                radius = Math.max(radius, Math.hypot(...surface.corners.subarray(c, c + width)));
            for (let k = 0; k <= 60; k++) {
                this.motions[i].value(this.run.end * k / 60, pose);
                for (let j = 0; j < 3; j++) {
                    const x = j < this.run.dim ? pose[j] : 0;
                    lo[j] = Math.min(lo[j], x - radius);
                    hi[j] = Math.max(hi[j], x + radius);
                }
            }
        });
        if (!(hi[0] >= lo[0])) { lo.fill(-1); hi.fill(1); }
        this.centre = lo.map((x, j) => (x + hi[j]) / 2);
        this.size = Math.max(...lo.map((x, j) => hi[j] - x)) || 1;
        if (this.flat) this.extent = [hi[0] - lo[0], hi[1] - lo[1]];
        const radii = this.run.bodies.filter(b => b.radius > 0).map(b => b.radius);
        this.unit = radii.length ? Math.max(radii.sort((a, b) => a - b)[radii.length >> 1], this.size / 50) : this.size / 10;
    }
    light() {
        this.scene.add(new three.HemisphereLight(0xffffff, 0x8899aa, 2.4));
        const sun = new three.DirectionalLight(0xffffff, 1.6);
        sun.position.set(0.6, -1, 1.6);
        this.scene.add(sun);
    }
    // What draws level sets from their formula (key m); bodies of one shape share it.
    marchings(run) {
        const formulas = new Map(), key = shape => shape.corners?.byteOffset;
        for (const {shape} of run.bodies)
            if (shape.formula && shape.corners) formulas.set(key(shape), shape);
        this.marched = [];
        run.bodies.forEach((body, i) => {
            const {group} = this.bodies[i];
            const shape = body.shape.formula ? body.shape : formulas.get(key(body.shape));
            if (!group || !shape) return;
            let reach = body.radius;
            const surface = this.surfaces.get(i), width = this.run.dim;
            for (let c = 0; surface && c < surface.corners.length; c += width)
                reach = Math.max(reach, Math.hypot(...surface.corners.subarray(c, c + width)));
            const marching = Marching.of(shape.formula, shape.centre, this.flat, 1.01 * reach);
            if (!marching) return;
            marching.always = shape.kind === "unknown"; // nothing else shows it
            marching.others = [...group.children];
            group.add(marching.mesh);
            this.bodies[i].marching = marching;
            this.marched.push(marching);
        });
        this.march(false);
    }
    march(on) {
        for (const {mesh, others, always} of this.marched) {
            mesh.visible = on || always;
            for (const other of others) other.visible = !mesh.visible;
        }
    }
    tint(i) {
        return this.run.bodies[i].kind === "moving" ? TINTS[i % TINTS.length] : 0x9aa5b0;
    }
    // Many bodies of one shape, which have no groups of their own.
    crowd(list) {
        const crowd = new Crowd(this.run, list, list.map(i => this.tint(i)));
        list.forEach((i, k) => { this.bodies[i] = {crowd, k, colour: crowd.colours[k]}; });
        this.crowds.push(crowd);
        this.scene.add(crowd.mesh);
    }
    body(body, i) {
        const group = new three.Group();
        group.userData.body = i;
        const colour = this.tint(i);
        const lines = new three.LineBasicMaterial({color: 0x26323d});
        let material = new three.MeshLambertMaterial({color: colour, side: three.DoubleSide});
        const {shape} = body;
        if (shape.kind === "half-space") {
            material = this.halfSpace(group, shape);
        } else if (this.surfaces.has(i)) {
            return {...this.changing(group, this.surfaces.get(i), colour, lines, i), colour};
        } else if (this.flat && shape.corners) {
            const points = outlineOf(shape);
            material = new three.MeshBasicMaterial({color: colour, transparent: true, opacity: 0.75, side: three.DoubleSide});
            group.add(new three.Mesh(flatGeometry(points), material));
            group.add(new three.LineLoop(linesOf(points.map(p => [p[0], p[1], 0.001 * this.size])), lines));
            const reach = Math.max(...points.map(p => Math.hypot(p[0], p[1])));
            const tip = points.reduce((a, p) => Math.abs(Math.atan2(p[1], p[0])) <
                Math.abs(Math.atan2(a[1], a[0])) ? p : a, [reach, 1e-9]);
            group.add(new three.Line(linesOf([[0, 0, 0.002 * this.size],
                [tip[0], tip[1], 0.002 * this.size]]), lines));
        } else if (shape.kind === "polytope") {
            const [faces, edges] = polytopeGeometry(shape);
            material.flatShading = true;
            group.add(new three.Mesh(faces, material));
            group.add(new three.LineSegments(edges, lines));
        } else if (shape.kind === "mesh") {
            const geometry = new three.BufferGeometry();
            geometry.setAttribute("position", new three.BufferAttribute(shape.corners, 3));
            geometry.setAttribute("normal", new three.BufferAttribute(shape.normals, 3));
            geometry.setIndex(new three.BufferAttribute(this.run.triangles, 1));
            group.add(new three.Mesh(geometry, material));
            this.meridians(group, shape, lines);
        } else {
            group.add(new three.Mesh(new three.SphereGeometry(0.02 * this.size, 16, 12), material));
        }
        group.traverse(o => { o.userData.body = i; });
        this.scene.add(group);
        return {group, material, colour};
    }
    // A level set that changes: its corners lie on straight lines between the frames of the file.
    changing(group, surface, colour, lines, i) {
        const {flat} = this, n = surface.corners.length / surface.frames / (flat ? 2 : 3);
        const corners = new Float32Array(3 * (flat ? n + 1 : n)), normals = flat ? null : new Float32Array(3 * n);
        const geometry = new three.BufferGeometry();
        geometry.setAttribute("position", new three.BufferAttribute(corners, 3));
        if (flat) {
            // triangles about the mass centre, the last of the corners
            geometry.setIndex(Array.from({length: n}, (_, k) => [n, k, (k + 1) % n]).flat());
        } else {
            geometry.setAttribute("normal", new three.BufferAttribute(normals, 3));
            geometry.setIndex(new three.BufferAttribute(this.run.triangles, 1));
        }
        const material = flat ? new three.MeshBasicMaterial({color: colour, transparent: true, opacity: 0.75, side: three.DoubleSide})
            : new three.MeshLambertMaterial({color: colour, side: three.DoubleSide});
        const mesh = new three.Mesh(geometry, material);
        mesh.frustumCulled = false;
        group.add(mesh);
        let loop = null;
        if (flat) {
            loop = new three.LineLoop(new three.BufferGeometry(), lines);
            loop.geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(3 * n), 3));
            loop.frustumCulled = false;
            group.add(loop);
        }
        group.traverse(o => { o.userData.body = i; });
        this.scene.add(group);
        const change = t => {
            const at = this.run.end > 0 ? Math.min(Math.max(t / this.run.end, 0), 1) * (surface.frames - 1) : 0;
            const k = Math.min(Math.floor(at), surface.frames - 2), w = at - k, width = flat ? 2 : 3;
            const mix = (data, to) => {
                for (let c = 0; c < n; c++)
                    for (let j = 0; j < width; j++) {
                        const a = data[(k * n + c) * width + j], b = data[((k + 1) * n + c) * width + j];
                        to[3 * c + j] = a + w * (b - a);
                    }
            };
            mix(surface.corners, corners);
            if (normals) mix(surface.normals, normals);
            for (const name of ["position", "normal"])
                if (geometry.attributes[name]) geometry.attributes[name].needsUpdate = true;
            if (loop) {
                loop.geometry.attributes.position.array.set(corners.subarray(0, 3 * n));
                loop.geometry.attributes.position.needsUpdate = true;
            }
        };
        change(0);
        return {group, material, change};
    }
    // Three lines on a smooth body, so that its turning is seen.
    meridians(group, shape, lines) {
        const parts = 24, rings = 2 * parts;
        let first = 0;
        const along = [[], []];
        for (let k = 0; k <= rings; k++) {
            const less = Math.min(k, rings - k), n = less ? 4 * less : 1;
            for (const quarter of [0, 1]) {
                const at = first + (n > 1 ? quarter * n / 4 : 0);
                const p = Array.from(shape.corners.subarray(3 * at, 3 * at + 3));
                along[quarter].push(p.map(x => x * 1.002));
            }
            first += n;
        }
        for (const points of along) group.add(new three.Line(linesOf(points), lines));
    }
    halfSpace(group, shape) {
        const reach = 4 * this.size, n = new three.Vector3(...shape.normal);
        const holder = new three.Group();
        const material = new three.MeshBasicMaterial({color: 0x9aa5b0, transparent: true,
            opacity: 0.35, side: three.DoubleSide, depthWrite: false});
        if (this.flat) {
            const plate = new three.Mesh(new three.PlaneGeometry(2 * reach, reach), material);
            plate.position.set(0, -reach / 2, -0.01 * this.size);
            holder.add(plate);
            holder.add(new three.Line(linesOf([[-reach, 0, 0], [reach, 0, 0]]),
                                      new three.LineBasicMaterial({color: 0x667788})));
            holder.rotation.z = Math.atan2(n.y, n.x) - Math.PI / 2;
        } else {
            holder.add(new three.Mesh(new three.PlaneGeometry(2 * reach, 2 * reach), material));
            const grid = new three.GridHelper(2 * reach, 32, 0x667788, 0x8895a3);
            grid.rotation.x = Math.PI / 2;
            grid.material.transparent = true;
            grid.material.opacity = 0.4;
            holder.add(grid);
            holder.quaternion.setFromUnitVectors(new three.Vector3(0, 0, 1), n);
        }
        holder.position.copy(n).multiplyScalar(shape.offset);
        group.add(holder);
        return material;
    }
    joint(joint) {
        const group = new three.Group();
        const colour = new three.MeshBasicMaterial({color: 0x37474f});
        group.add(new three.Mesh(new three.SphereGeometry(0.06 * this.unit, 12, 8), colour));
        if (!this.flat && joint.kind !== "ball" && joint.kind !== "weld" && joint.kind !== "constraint") {
            const a = joint.axis.map(x => x * 0.5 * this.unit);
            group.add(new three.Line(linesOf([a.map(x => -x), a]),
                                     new three.LineBasicMaterial({color: 0x37474f})));
        }
        this.scene.add(group);
        return {group, joint};
    }
    view() {
        if (this.flat) {
            this.camera = new three.OrthographicCamera(-1, 1, 1, -1, 0.01, 20 * this.size);
            this.camera.position.set(this.centre[0], this.centre[1], 10 * this.size);
        } else {
            this.camera = new three.PerspectiveCamera(40, 1, this.size * 1e-3, this.size * 50);
            this.camera.up.set(0, 0, 1);
            this.camera.position.set(this.centre[0] + 0.75 * this.size,
                this.centre[1] - 1.5 * this.size, this.centre[2] + 0.65 * this.size);
        }
        this.controls?.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.target.set(...this.centre);
        if (this.flat) {
            this.controls.enableRotate = false;
            this.controls.mouseButtons.LEFT = three.MOUSE.PAN;
            this.controls.touches.ONE = three.TOUCH.PAN;
            this.controls.target.z = 0;
        }
        this.controls.addEventListener("start", () => { this.moved = true; });
        this.controls.addEventListener("end", () => this.onMoved?.());
        this.controls.update();
        this.moved = false;
        this.sized = "";
    }
    resize() {
        const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
        const ratio = Math.min(window.devicePixelRatio || 1, 2);
        if (this.sized === `${w} ${h} ${ratio}` || !w || !h) return;
        this.sized = `${w} ${h} ${ratio}`;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(w, h, false);
        if (this.flat) {
            const half = 0.55 * Math.max(this.extent[1], this.extent[0] * h / w, 1e-300);
            Object.assign(this.camera, {left: -half * w / h, right: half * w / h, top: half, bottom: -half});
        } else {
            this.camera.aspect = w / h;
        }
        this.camera.updateProjectionMatrix();
    }
    pose(i, t, before) {
        const pose = this.motions[i].value(t, new Float64Array(7), before);
        if (this.flat) return {x: [pose[0], pose[1], 0], angle: pose[2]};
        const q = pose.subarray(3), length = Math.hypot(...q) || 1;
        return {x: Array.from(pose.subarray(0, 3)), q: Array.from(q, x => x / length)};
    }
    place(group, pose) {
        group.position.set(...pose.x);
        if (pose.q) group.quaternion.set(pose.q[1], pose.q[2], pose.q[3], pose.q[0]);
        else group.rotation.z = pose.angle;
    }
    // The axes of the bodies: x red, y green, z blue. A crowd has none.
    setAxes(on) {
        this.bodies.forEach((body, i) => {
            const {radius} = this.run.bodies[i];
            if (!body.group || radius === null) return;
            if (!body.axes && on) {
                body.axes = new three.AxesHelper(1.4 * (radius || this.unit));
                body.axes.material.depthTest = false;
                body.axes.renderOrder = 2;
                body.group.add(body.axes);
            }
            if (body.axes) body.axes.visible = on;
        });
    }
    // Where the camera is and what it looks at, as text for an address; "" for its first place.
    cameraText() {
        const now = [...this.camera.position, ...this.controls.target, this.camera.zoom];
        return this.moved ? now.map(x => +x.toPrecision(5)).join(",") : "";
    }
    setCamera(text) {
        const x = text.split(",").map(Number);
        if (x.length !== 7 || !x.every(Number.isFinite) || !(x[6] > 0)) return;
        this.camera.position.set(...x.slice(0, 3));
        this.controls.target.set(...x.slice(3, 6));
        this.camera.zoom = x[6];
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.moved = true;
    }
    // arrows: [{at, along, length, colour}] in lengths of the world
    setArrows(list) {
        this.arrows.traverse(o => { o.geometry?.dispose(); o.material?.dispose(); });
        this.arrows.clear();
        for (const {at, along, length, colour, dot} of list) {
            if (dot) {
                const mesh = new three.Mesh(new three.SphereGeometry(0.04 * this.unit, 10, 8),
                    new three.MeshBasicMaterial({color: colour, depthTest: false}));
                mesh.position.set(...at);
                this.arrows.add(mesh);
            }
            if (!(length > 0)) continue;
            const arrow = new three.ArrowHelper(new three.Vector3(...along).normalize(),
                new three.Vector3(...at), length, colour, 0.25 * length, 0.12 * length);
            arrow.line.material.depthTest = arrow.cone.material.depthTest = false;
            this.arrows.add(arrow);
        }
    }
    setTrails(on, picked) {
        if (this.trails) {
            this.scene.remove(this.trails);
            this.trails = null;
        }
        if (!on) return;
        this.trails = new three.Group();
        this.run.bodies.forEach((body, i) => {
            if (body.kind !== "moving" || (this.bodies[i].crowd && i !== picked)) return;
            const points = [], n = 600;
            for (let k = 0; k <= n; k++) points.push(this.pose(i, this.run.end * k / n).x);
            this.trails.add(new three.Line(linesOf(points),
                new three.LineBasicMaterial({color: TINTS[i % TINTS.length]})));
        });
        this.scene.add(this.trails);
    }
    draw(state) {
        this.resize();
        const style = getComputedStyle(document.documentElement);
        this.renderer.setClearColor(style.getPropertyValue("--ground").trim());
        this.bodies.forEach(({group, material, colour, change, crowd, k, marching}, i) => {
            if (crowd) {
                crowd.place(k, this.pose(i, state.t, state.before),
                            state.overlapping.has(i) ? RED : state.picked === i ? PICKED : colour);
                return;
            }
            change?.(state.t);
            this.place(group, this.pose(i, state.t, state.before));
            material.color.set(state.overlapping.has(i) ? RED : colour);
            material.emissive?.set(state.picked === i ? 0x333333 : 0);
            if (marching?.mesh.visible)
                marching.update(group, this.camera, state.t, state.overlapping.has(i) ? RED : colour,
                                state.picked === i, this.canvas.height);
        });
        for (const {group, joint} of this.joints) {
            const i = joint.on ?? joint.bodies[0];
            if (i < 0) {
                group.position.set(...joint.point);
                continue;
            }
            this.place(group, this.pose(i, state.t, state.before));
            const arm = new three.Vector3(...joint.point).applyQuaternion(group.quaternion);
            group.position.add(arm);
        }
        this.setArrows(state.arrows);
        if (state.follow !== null) {
            const to = new three.Vector3(...this.pose(state.follow, state.t, state.before).x);
            this.camera.position.add(to.clone().sub(this.controls.target));
            this.controls.target.copy(to);
        }
        this.controls.update();
        this.renderer.render(this.scene, this.camera);
        this.label(state);
    }
    // Names of all bodies that are drawn one by one, and of the one that is picked.
    label(state) {
        const want = !this.show.names ? []
            : this.bodies.flatMap(({crowd}, i) => crowd && i !== state.picked ? [] : [i]);
        while (this.names.children.length > want.length) this.names.lastChild.remove();
        while (this.names.children.length < want.length)
            this.names.append(document.createElement("span"));
        want.forEach((i, n) => {
            const at = new three.Vector3(...this.pose(i, state.t, state.before).x).project(this.camera);
            const span = this.names.children[n];
            if (span.textContent !== this.run.bodies[i].name) span.textContent = this.run.bodies[i].name;
            span.hidden = this.run.bodies[i].radius === null || Math.abs(at.z) > 1;
            span.style.left = `${(at.x + 1) / 2 * 100}%`;
            span.style.top = `${(1 - at.y) / 2 * 100}%`;
        });
    }
    // The number of the body at a place of the window, or null.
    pick(clientX, clientY) {
        const box = this.canvas.getBoundingClientRect();
        const at = new three.Vector2((clientX - box.left) / box.width * 2 - 1,
                                     1 - (clientY - box.top) / box.height * 2);
        const ray = new three.Raycaster();
        ray.setFromCamera(at, this.camera);
        const parts = this.bodies.flatMap(b => b.group || []);
        for (const {mesh} of this.crowds) {
            mesh.computeBoundingSphere();
            parts.push(mesh);
        }
        const of = h => h.object.isInstancedMesh
            ? this.crowds.find(c => c.mesh === h.object).list[h.instanceId] : h.object.userData.body;
        const hits = ray.intersectObjects(parts, true).filter(h => h.object.isMesh && h.object.userData.body !== undefined || h.object.isInstancedMesh).map(of);
        return hits.find(i => this.run.bodies[i].radius !== null) ?? hits[0] ?? null;
    }
}

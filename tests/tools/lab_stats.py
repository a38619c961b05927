"""Writes tests/cases/lab/stats.json: p-values and intervals by scipy, for the tests of `mend bench compare`."""
import json, math, random
import numpy as np
from scipy import stats
random.seed(5)
cases=[]
for b,c in [(0,0),(1,0),(0,3),(5,0),(6,0),(2,9),(7,7),(10,21),(0,25)]:
    p = 1.0 if b+c==0 else stats.binomtest(min(b,c), b+c).pvalue
    cases.append({"test":"mcnemar","b":b,"c":c,"p":p})
def wil(d, name):
    d=[float(x) for x in d]
    nz=[x for x in d if x!=0]
    if not nz: p=1.0
    elif len(nz)<=50 and len(set(map(abs,nz)))==len(nz):
        p=float(stats.wilcoxon(nz, method="exact").pvalue)
    elif len(nz)<=13:
        p=float(stats.wilcoxon(nz, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue)
    else:
        p=float(stats.wilcoxon(nz, method="approx", correction=False).pvalue); name+=" approx"
    cases.append({"test":"wilcoxon","kind":name,"d":d,"p":p})
wil([0,0,0],"zeros")
wil([1,-2,3,4,-5,6,7,8],"distinct")
wil([random.gauss(0.4,1) for _ in range(24)],"24 distinct")
wil([random.gauss(0.0,1) for _ in range(40)],"40 distinct")
wil([-1,-1,-2,-1,0,0,1,-1,-3,-1],"ties")
wil([1,1,1,2,2,-1,-2,3,3,-1,1],"ties 11")
wil([-1]*5,"all the same")
wil([random.choice([-3,-2,-1,-1,0,1,2]) for _ in range(300)],"300 ties")
d=[random.gauss(-0.6,1.2) for _ in range(30)]
r=stats.bootstrap((np.array(d),), np.mean, n_resamples=100000, method="percentile", rng=1)
cases.append({"test":"bootstrap","d":d,"mean":float(np.mean(d)),"low":float(r.confidence_interval.low),"high":float(r.confidence_interval.high)})
print(json.dumps({"by":"scipy "+__import__("scipy").__version__,"cases":cases},indent=1))
